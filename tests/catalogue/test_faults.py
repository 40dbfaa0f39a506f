"""Every fault of a document is reported with its place and the accepted values."""

import json

import pytest

from shipskip.catalogue.faults import Fault
from tests.catalogue.documents import document, faults_of, rows, tool
from tools.models import Category, FormerSlug, Tool

pytestmark = pytest.mark.django_db
FORMAT_1 = "shipskip-catalogue/1"


def faults_without_writing(content) -> list[str]:
    """The faults of a document; checking it must write nothing."""
    before = rows()
    faults = faults_of(content)
    assert rows() == before
    return faults


def with_tool(**keys):
    return document(tools=[*document()["tools"], tool(**keys)])


def with_take(**keys):
    moment = {"published": "2026-05-01T09:00:00Z"}
    take = {"reviewer": "builder", "score": 5, "verdict": "ship"} | moment | keys
    return with_tool(takes=[{k: v for k, v in take.items() if v is not ...}])


def with_reviewer(**keys):
    reviewer = {"slug": "critic", "name": "Critic"} | keys
    return document(reviewers=[*document()["reviewers"], reviewer])


def with_comparison(tools, **keys):
    return document(comparisons=[{"tools": tools} | keys])


def test_a_good_document_has_no_fault():
    assert faults_without_writing(document()) == []


BAD_SCORES = [
    (140, "140 is not between 0 and 100"),
    (-1, "-1 is not between 0 and 100"),
    (10**18, "is not between 0 and 100"),
    (80.5, "80.5 is not a whole number between 0 and 100"),
    (80.0, "80.0 is not a whole number between 0 and 100"),
    (True, "true is not a whole number between 0 and 100"),
    ("80", '"80" is not a whole number between 0 and 100'),
    (None, "is missing or empty; give it, as only a draft that was never public can be without it"),
    ([80], "a list is not a whole number between 0 and 100"),
]


def test_a_text_that_takes_too_long_to_render_is_refused_in_every_field():
    text, sentence = (
        "-\n" * 9_999,
        "This text has 10,000 lines; at most 500 can be shown. Shorten it.",
    )
    assert faults_without_writing(with_tool(description=text)) == [
        f"tools[2].description: {sentence}"
    ]
    assert faults_without_writing(with_take(body=text)) == [f"tools[2].takes[0].body: {sentence}"]
    assert faults_without_writing(with_reviewer(bio=text)) == [f"reviewers[2].bio: {sentence}"]
    (fault,) = faults_without_writing(with_comparison(["alpha", "beta"], summary=text))
    assert fault.endswith(f".summary: {sentence}")


@pytest.mark.parametrize(("score", "message"), BAD_SCORES)
def test_a_score_other_than_a_whole_number_from_0_to_100_is_refused_with_its_place(score, message):
    (fault,) = faults_without_writing(with_take(score=score))
    assert fault.startswith("tools[2].takes[0].score: ")
    assert message in fault


BAD_TOOLS = [
    ({"name": ...}, "name", "is missing; give a text of 1 to 120 characters"),
    ({"slug": ...}, "slug", "is missing"),
    ({"category": ...}, "category", "is missing"),
    ({"name": 5}, "name", "5 is not a text of 1 to 120 characters"),
    ({"name": "  \t"}, "name", "is empty"),
    ({"name": "x" * 121}, "name", "is 121 characters long; at most 120 are allowed"),
    ({"name": "a\nb"}, "name", "Remove the line break"),
    ({"tagline": None}, "tagline", "null is not a text of at most 160 characters"),
    ({"description": "x" * 20_001}, "description", "20,001 characters long"),
    ({"description": "a\u0000b"}, "description", "Remove the character U+0000"),
    ({"description": "a\u001bb"}, "description", "Remove the character U+001B"),
    ({"description": "a\ufffeb"}, "description", "Remove the character U+FFFE"),
    ({"description": ["a"]}, "description", "a list is not a text"),
    ({"slug": "Gamma"}, "slug", '"Gamma" is not an address: use lowercase'),
    ({"slug": "a--b"}, "slug", "single hyphens"),
    ({"slug": "a-vs-b"}, "slug", "contains the word “vs”"),
    ({"slug": "x" * 101}, "slug", "is 101 characters long"),
    ({"slug": "alpha"}, "slug", "has the slug of tools[0] already; keep one"),
    ({"slug": 7}, "slug", "7 is not an address"),
    (
        {"category": "caht"},
        "category",
        'no category of this file or this site; did you mean "chat"?',
    ),
    ({"category": 1}, "category", "1 is not an address"),
    ({"entry": "gratis"}, "entry", '"gratis" is not "free", "freemium" or "paid"'),
    ({"entry": None}, "entry", "null is not"),
    ({"website": "javascript:alert(1)"}, "website", "Begin the address with https:// or http://"),
    ({"website": "ftp://example.org/"}, "website", "Begin the address with https:// or http://"),
    ({"website": "https://"}, "website", "is not a host on the web"),
    ({"website": "https://example.org/a b"}, "website", "Remove the space"),
    ({"website": "https://example.org/" + "x" * 300}, "website", "320 characters long"),
    ({"published": "2026-05-01T09:00:00"}, "published", "no time zone; add Z"),
    ({"published": "2026-05-01"}, "published", 'a date and time such as "2026-05-01T09:00:00Z"'),
    ({"published": "2026-02-30T09:00:00Z"}, "published", "is not a valid date"),
    ({"published": "0001-01-01T00:00:00+05:00"}, "published", "is not a valid date"),
    ({"published": "soon"}, "published", "or null"),
    ({"published": 1777626000}, "published", "or null"),
    ({"published": True}, "published", "or null"),
    ({"nmae": "x"}, "nmae", 'is not a key of a tool; did you mean "name"?'),
    ({"votes": 3}, "votes", "is not a key of a tool; its keys are slug, name"),
    ({"takes": {}}, "takes", "an object is not a list of takes"),
    ({"takes": None}, "takes", "null is not a list of takes"),
    (
        {"takes": [5]},
        "takes[0]",
        "5 is not a take, an object with the keys reviewer",
    ),
]


@pytest.mark.parametrize(("keys", "place", "message"), BAD_TOOLS)
def test_a_bad_value_of_a_tool_is_refused_with_its_place_and_the_accepted_values(
    keys, place, message
):
    (fault,) = faults_without_writing(with_tool(**keys))
    assert fault.startswith(f"tools[2].{place}: ")
    assert message in fault


BAD_TAKES = [
    ({"verdict": "maybe"}, "verdict", '"maybe" is not "ship" or "skip"'),
    ({"verdict": ...}, "verdict", "is missing"),
    ({"reviewer": ...}, "reviewer", "is missing"),
    ({"score": ...}, "score", "is missing or empty; give it, as only a draft"),
    ({"reviewer": "bulider"}, "reviewer", 'did you mean "builder"?'),
    ({"body": 5}, "body", "5 is not a text"),
    ({"published": "now"}, "published", "is not a date and time"),
    ({"text": ""}, "text", "is not a key of a take"),
]


@pytest.mark.parametrize(("keys", "place", "message"), BAD_TAKES)
def test_a_bad_value_of_a_take_is_refused_with_its_place(keys, place, message):
    (fault,) = faults_without_writing(with_take(**keys))
    assert fault.startswith(f"tools[2].takes[0].{place}: ")
    assert message in fault


BAD_REVIEWERS = [
    ({"likes": "speed"}, "likes", '"speed" is not a list of texts'),
    ({"likes": ["a", 5]}, "likes[1]", "5 is not a text of 1 to 120 characters"),
    ({"likes": ["a", " "]}, "likes[1]", "is empty"),
    ({"likes": ["x" * 121]}, "likes[0]", "121 characters long"),
    ({"dislikes": ["x"] * 13}, "dislikes", "at most 12"),
    ({"dislikes": [["x"]]}, "dislikes[0]", "a list is not a text"),
    ({"position": 40_000}, "position", "40000 is not between 0 and 32767"),
    ({"position": -1}, "position", "-1 is not between 0 and 32767"),
    ({"position": True}, "position", "true is not a whole number"),
    ({"slug": "builder"}, "slug", "has the slug of reviewers[1] already; keep one"),
    ({"sign": "hat"}, "sign", '"hat" is not "hard-hat", "glasses", "visor"'),
    ({"tint": None}, "tint", 'null is not "blue", "slate"'),
]


@pytest.mark.parametrize(("keys", "place", "message"), BAD_REVIEWERS)
def test_a_bad_value_of_a_reviewer_is_refused_with_its_place(keys, place, message):
    (fault,) = faults_without_writing(with_reviewer(**keys))
    assert fault.startswith(f"reviewers[2].{place}: ")
    assert message in fault


BAD_COMPARISONS = [
    (["alpha", "beta", "alpha"], "tools[2]", '"alpha" is tools[0] again; keep one'),
    (["alpha"], "tools", "is too short; give a list of 2 to 10 different tools’ slugs"),
    (["alpha"] * 11, "tools", "has 11 entries; at most 10 are allowed"),
    ("alpha-vs-beta", "tools", "is not a list of 2 to 10 different tools’ slugs"),
    (["alpha", "zeta"], "tools[1]", '"zeta" is no tool of this file or this site'),
    (["alpha", None], "tools[1]", "null is not an address"),
]


@pytest.mark.parametrize(("tools", "place", "message"), BAD_COMPARISONS)
def test_a_comparison_of_anything_but_two_to_ten_known_tools_is_refused(tools, place, message):
    (fault,) = faults_without_writing(with_comparison(tools))
    assert fault.startswith(f"comparisons[0].{place}: ")
    assert message in fault


@pytest.mark.parametrize("featured", [1, "yes", None])
def test_a_comparison_is_featured_or_not(featured):
    (fault,) = faults_without_writing(with_comparison(["alpha", "beta"], featured=featured))
    assert fault.startswith("comparisons[0].featured: ")
    assert fault.endswith("is not true or false")


def test_the_first_format_has_comparisons_of_two_tools():
    three = with_tool() | {"comparisons": [{"tools": ["alpha", "beta", "gamma"]}]}
    assert faults_without_writing(three) == []
    newer = '"shipskip-catalogue/2" as the file’s format'
    for given in (three | {"format": FORMAT_1}, {**three, "format": FORMAT_1}):
        assert faults_without_writing(given) == [
            f"comparisons[0].tools: names 3 tools; give two, or write {newer}"
        ]


def test_the_first_format_has_none_of_the_newer_keys():
    take = {"reviewer": "builder", "score": 5, "verdict": "ship", "basis": "tried"}
    newer = with_tool(label="4B", choose_if="You test.", takes=[take])
    assert faults_without_writing(newer) == []
    message = 'is a key of "shipskip-catalogue/2"; write that as the file’s format'
    assert faults_without_writing(newer | {"format": "shipskip-catalogue/1"}) == [
        f"tools[2].takes[0].basis: {message}",
        f"tools[2].label: {message}",
        f"tools[2].choose_if: {message}",
    ]


def test_the_second_format_has_none_of_the_keys_of_the_third():
    take = {"reviewer": "builder", "score": 5, "verdict": "ship", "because": "It is quick."}
    newer = with_tool(status="maintenance", status_on="2026-04-06", takes=[take])
    assert faults_without_writing(newer) == []
    message = 'is a key of "shipskip-catalogue/3"; write that as the file’s format'
    assert faults_without_writing(newer | {"format": "shipskip-catalogue/2"}) == [
        f"tools[2].takes[0].because: {message}",
        f"tools[2].status: {message}",
        f"tools[2].status_on: {message}",
    ]
    portrayed = with_reviewer(sign="bob", tint="")
    assert faults_without_writing(portrayed) == []
    assert faults_without_writing(portrayed | {"format": "shipskip-catalogue/2"}) == [
        f"reviewers[2].sign: {message}",
        f"reviewers[2].tint: {message}",
    ]


def test_a_set_of_tools_given_twice_is_refused_in_any_order():
    pairs = [{"tools": ["alpha", "beta"]}, {"tools": ["beta", "alpha"]}]
    (fault,) = faults_without_writing(document(comparisons=pairs))
    assert fault == "comparisons[1].tools: has the tools of comparisons[0] already; keep one"


def test_a_second_take_of_a_reviewer_on_a_tool_is_refused_naming_the_first():
    take = {"reviewer": "builder", "score": 5, "verdict": "ship"}
    (fault,) = faults_without_writing(with_tool(takes=[take, take]))
    assert fault == (
        "tools[2].takes[1].reviewer: has the reviewer of tools[2].takes[0] already; keep one"
    )


def test_a_slug_taken_twice_among_categories_is_refused_naming_the_first():
    double = [{"slug": "chat", "name": "Chat"}, {"slug": "chat", "name": "Talk"}]
    (fault,) = faults_without_writing(document(categories=double))
    assert fault == "categories[1].slug: has the slug of categories[0] already; keep one"


BAD_TOPS = [
    ({"format": "shipskip-catalogue/4"}, "format", 'is not "shipskip-catalogue/1", '),
    ({"format": None}, "format", "null is not"),
    ({"tools": {}}, "tools", "an object is not a list of entries"),
    ({"tools": 5, "comparisons": []}, "tools", "5 is not a list of entries"),
    ({"tool": []}, "tool", 'is not a key of a catalogue; did you mean "tools"?'),
    ({"x.y\u001b": 1}, '["x.y\\u001b"]', "is not a key of a catalogue; its keys are format"),
]


@pytest.mark.parametrize(("sections", "place", "message"), BAD_TOPS)
def test_a_bad_key_of_the_document_is_refused(sections, place, message):
    faults = faults_without_writing(document(comparisons=[]) | sections)
    assert len(faults) == 1
    assert faults[0].startswith(f"{place}: ")
    assert message in faults[0]


def test_a_document_without_its_format_is_refused():
    given = document()
    del given["format"]
    assert faults_without_writing(given) == [
        'format: is missing; give "shipskip-catalogue/1", "shipskip-catalogue/2" or '
        '"shipskip-catalogue/3"'
    ]


def test_an_entry_other_than_an_object_is_refused():
    faults = faults_without_writing(document(tools=["alpha", None, []], comparisons=[]))
    assert [fault.split(" is not ")[0] for fault in faults] == [
        'tools[0]: "alpha"',
        "tools[1]: null",
        "tools[2]: a list",
    ]


def test_a_key_given_twice_is_refused_at_every_level():
    text = (
        '{"format": "shipskip-catalogue/1", "categories":'
        '[{"slug": "c", "slug": "d", "name": "C"}],'
        '"reviewers": [{"slug": "r", "name": "R"}],'
        '"tools": [{"slug": "a", "name": "A", "category": "c", "takes":'
        '[{"reviewer": "r", "score": 1, "score": {"score": 2, "score": 3}, "verdict": "ship"}]}],'
        '"tools": [{"slug": "b"}], "format": "shipskip-catalogue/1"}'
    )
    faults = faults_without_writing(text)
    assert faults[0] == "categories[0].slug: is given twice; keep one"
    assert faults[1] == "tools[0].takes[0].score: is given twice; keep one"
    assert "tools: is given twice; keep one" in faults
    assert "format: is given twice; keep one" in faults


def test_a_lone_surrogate_is_refused_at_its_place():
    text = json.dumps(with_tool(name="QQQ", tagline="\\ud83d \U0001f680", maker="PPP"))
    text = text.replace("QQQ", r"a \ud83d b").replace("PPP", r"\ude80\ud83d")
    assert faults_without_writing(text) == [
        "tools[2].name: contains half a character (an unpaired surrogate); remove it",
        "tools[2].maker: contains half a character (an unpaired surrogate); remove it",
    ]


def test_a_new_slug_that_still_leads_to_a_renamed_tool_is_refused():
    category = Category.objects.create(slug="chat", name="Chat")
    renamed = Tool.objects.create(slug="new-name", name="N", category=category)
    FormerSlug.objects.create(slug="gamma", tool=renamed)
    (fault,) = faults_without_writing(with_tool())
    assert fault.startswith('tools[2].slug: "gamma" is an earlier slug of "new-name"')


def test_a_comparison_by_an_earlier_slug_gets_the_present_one():
    category = Category.objects.create(slug="chat", name="Chat")
    renamed = Tool.objects.create(slug="new-name", name="N", category=category)
    FormerSlug.objects.create(slug="old-name", tool=renamed)
    (fault,) = faults_without_writing(with_comparison(["alpha", "old-name"]))
    assert fault.endswith('; it is "new-name" now')


def test_faults_are_listed_in_the_order_of_the_file():
    given = document(
        tools=[
            {
                "takes": [{"reviewer": "nobody", "score": 101, "verdict": "ship"}, {"score": 1.5}],
                "name": "",
                "category": "none",
                "slug": "alpha",
                "oops": 1,
            },
            {"slug": "alpha", "name": "A", "category": "chat", "entry": "x"},
        ],
        comparisons=[{"tools": ["alpha", "beta"]}],
    )
    assert [fault.split(": ")[0] for fault in faults_without_writing(given)] == [
        "tools[0].takes[0].reviewer",
        "tools[0].takes[0].score",
        "tools[0].takes[1].score",
        "tools[0].takes[1].reviewer",
        "tools[0].name",
        "tools[0].category",
        "tools[0].oops",
        "tools[1].slug",
        "tools[1].entry",
        "comparisons[0].tools[1]",
    ]


def test_a_fault_reads_as_its_place_and_a_sentence():
    assert str(Fault("tools[17].takes[2].score", "140 is not between 0 and 100")) == (
        "tools[17].takes[2].score: 140 is not between 0 and 100"
    )


TEXTS = "an object of texts, with slugs of the comparison’s tools as keys"
BAD_TEXTS = [
    (
        {"alpah": "x"},
        '.alpah: "alpah" is not one of this comparison’s tools; did you mean "alpha"?',
    ),
    (
        {"ab-cd": "x"},
        '["ab-cd"]: "ab-cd" is not one of this comparison’s tools; they are alpha, beta',
    ),
    ({"alpha": "x" * 141}, ".alpha: is 141 characters long; at most 140 are allowed"),
    ({"alpha": ""}, ".alpha: is empty; give a text of 1 to 140 characters"),
    ({"alpha": 7}, ".alpha: 7 is not a text of 1 to 140 characters"),
    ({"alpha": "a\nb"}, ".alpha: Remove the line break; this field takes one line."),
    (["x"], f": a list is not {TEXTS}"),
    (None, f": null is not {TEXTS}"),
]


@pytest.mark.parametrize(("texts", "fault"), BAD_TEXTS)
def test_a_bad_choose_if_of_a_comparison_is_refused_with_its_place(texts, fault):
    given = with_comparison(["alpha", "beta"], choose_if=texts)
    assert faults_without_writing(given) == [f"comparisons[0].choose_if{fault}"]
    (fault,) = faults_without_writing(given | {"format": "shipskip-catalogue/1"})
    assert fault.startswith('comparisons[0].choose_if: is a key of "shipskip-catalogue/2";')
