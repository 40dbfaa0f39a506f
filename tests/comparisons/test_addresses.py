"""Building and parsing the address of a comparison."""

from comparisons import addresses


def test_a_built_address_is_parsed_into_the_same_slugs():
    for slugs in (["a", "b"], ["gpt-5", "v-s"], ["vsx", "xvs"], ["a", "b", "c"], ["1", "2-3"]):
        path = addresses.address(slugs)
        assert path == f"/compare/{'-vs-'.join(slugs)}/"
        assert addresses.parse(path.removeprefix("/compare/").rstrip("/")) == slugs


def test_capitals_one_slug_and_the_same_slug_twice_are_read_but_junk_names_no_tools():
    assert addresses.parse("Cursor-VS-SmolLM3") == ["cursor", "smollm3"]
    assert addresses.parse("cursor") == ["cursor"]
    assert addresses.parse("a-vs-a") == ["a", "a"]
    hyphens = ["", "-vs-", "a-vs-", "-vs-b", "a-vs-vs-b", "vs", "a--b-vs-c", "a-vs-b-"]
    letters = ["a-vs-b)", "a_b-vs-c", "a vs b", "a-vs-b\n", "a-vs-b\x00", "é-vs-b", "a-vs-ｂ"]
    kelvin = "\u212a-vs-b"  # the Kelvin sign, whose small letter is an ASCII k
    long = ["a" * 101, "a-vs-" + "b" * 5000, "-vs-".join("a" * 5000)]
    for junk in [*hyphens, *letters, kelvin, *long]:
        assert addresses.parse(junk) is None, junk[:20]


def test_the_picker_s_address_escapes_what_was_typed():
    assert addresses.picker_address(["a b", "c&d=é"]) == "/compare/?tools=a+b&tools=c%26d%3D%C3%A9"
