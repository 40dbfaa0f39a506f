"""Building and parsing the address of a comparison."""

import pytest

from comparisons import addresses


@pytest.mark.parametrize(
    "slugs", [["a", "b"], ["gpt-5", "v-s"], ["vsx", "xvs"], ["a", "b", "c"], ["1", "2-3"]]
)
def test_a_built_address_is_parsed_into_the_same_slugs(slugs: list[str]):
    path = addresses.address(slugs)
    assert path == f"/compare/{'-vs-'.join(slugs)}/"
    assert addresses.parse(path.removeprefix("/compare/").rstrip("/")) == slugs


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("Cursor-VS-SmolLM3", ["cursor", "smollm3"]),
        ("cursor", ["cursor"]),
        ("a-vs-a", ["a", "a"]),
    ],
)
def test_capitals_one_slug_and_the_same_slug_twice_are_read(text: str, slugs: list[str]):
    assert addresses.parse(text) == slugs


@pytest.mark.parametrize(
    "junk",
    [
        *("", "-vs-", "a-vs-", "-vs-b", "a-vs-vs-b", "vs", "a--b-vs-c", "a-vs-b-", "a-vs-b)"),
        *("a_b-vs-c", "a vs b", "a-vs-b\n", "a-vs-b\x00", "é-vs-b", "a-vs-ｂ"),
        "\u212a-vs-b",  # the Kelvin sign, whose small letter is an ASCII k
        *("a" * 101, "a-vs-" + "b" * 5000, "-vs-".join("a" * 5000)),
    ],
    ids=lambda junk: f"{junk[:12]!a}, {len(junk)} characters",
)
def test_junk_names_no_tools(junk: str):
    assert addresses.parse(junk) is None


def test_the_picker_s_address_escapes_what_was_typed():
    assert addresses.picker_address(["a b", "c&d=é"]) == "/compare/?tools=a+b&tools=c%26d%3D%C3%A9"
