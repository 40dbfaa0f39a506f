"""Lists of tools filtered and sorted by what they state."""

from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from shipskip.page_cache.middleware import cache
from tests import factories as make
from tests.markup import read
from tools.models import Attribute, Category

pytestmark = pytest.mark.django_db
PAGE = "/categories/agents/"


def names(client: Client, query: str, page: str = PAGE) -> list[str]:
    """The names on the list, in order."""
    return read(client.get(page + query)).texts("p", class_="tool-row__name")


@pytest.fixture
def agents() -> Category:
    """A category with tools A, B, C, of which A and B state everything, and D, which says that
    nothing applies.
    """
    kind = make.category(slug="agents", name="Agents")
    tools = [make.tool(slug=name.lower(), name=name, in_category=kind) for name in "ABCD"]
    for slug, spec, values in (
        ("self-hosted", {"kind": "yes-no"}, (True, False)),
        ("licence", {"kind": "choice", "choices": ["MIT", "Apache-2.0"]}, ("MIT", "Apache-2.0")),
        (
            "platforms",
            {"kind": "choices", "choices": ["Linux", "macOS", "Mac"]},
            (["Linux", "macOS"], ["Linux", "Mac"]),
        ),
        ("window", {"kind": "number", "unit": "tokens"}, (Decimal(8000), Decimal(128000))),
        ("memory", {"kind": "number", "better": "lower"}, (Decimal("1.5"), Decimal(2))),
        ("release", {"kind": "date"}, (date(2024, 5, 1), date(2025, 5, 1))),
        ("words", {"kind": "text"}, ("x", "y")),
    ):
        row = make.attribute(slug=slug, name=slug.title(), asked_in=[kind], **spec)
        for tool, value in zip(tools, values, strict=False):
            make.fact(value, on=tool, to=row)
        make.fact(None, on=tools[3], to=row, applies=False)
    return kind


def test_tools_are_filtered_and_sorted_by_what_they_state(client, agents):
    for query, found in (
        ("fact.self-hosted=yes", ["A"]),
        ("fact.self-hosted=no", ["B"]),
        ("fact.licence=Apache-2.0", ["B"]),
        ("fact.platforms=Linux", ["A", "B"]),
        ("fact.platforms=Mac", ["B"]),
        ("fact.window.min=8000", ["A", "B"]),
        ("fact.window.min=8000.5", ["B"]),
        ("fact.window.max=0", []),
        ("fact.window.min=1&fact.window.max=9000", ["A"]),
        ("fact.release.min=2025-01-01", ["B"]),
        ("fact.release.max=2024-05-01", ["A"]),
        ("fact.self-hosted=yes&fact.licence=Apache-2.0", []),
        ("sort=fact.window", ["B", "A"]),
        ("sort=fact.memory", ["A", "B"]),
        ("sort=fact.release", ["B", "A"]),
        ("sort=fact.window&fact.memory.max=1.5", ["A"]),
        ("sort=name", ["A", "B", "C", "D"]),
    ):
        assert names(client, f"?{query}") == found, query
        assert names(client, f"?category=agents&{query}", "/tools/") == found, query


def test_what_is_not_recorded_and_what_is_not_stated_are_counted_apart(client, agents):
    def counted(query: str, path: str = PAGE) -> list[str]:
        page = read(client.get(path + query))
        quiet = page.texts("p", class_="quiet")
        return [text for text in quiet if "record" in text or "state" in text]

    assert counted("") == []
    # D says that it does not apply: that is an answer.
    assert counted("?fact.self-hosted=yes") == ["We have not recorded it for 1 tool."]
    other = make.category(slug="elsewhere")
    make.tool(name="Elsewhere", in_category=other)
    row = make.attribute(slug="new", name="New", asked_in=[agents])
    make.fact(Decimal(1), on=agents.tools.get(slug="c"), to=row)
    make.fact(None, on=agents.tools.get(slug="a"), to=row)
    expected = [
        "We have not recorded “new” for 2 tools. 1 tool does not state “new”. "
        "We have not recorded “window” for 1 tool."
    ]
    assert counted("?sort=fact.new&fact.window.min=1") == expected
    # Of the tools of another category it is not asked, so nothing is missing there.
    both = "?category=agents&category=elsewhere&sort=fact.new&fact.window.min=1"
    assert counted(both, "/tools/") == expected
    make.fact(None, on=agents.tools.get(slug="b"), to=row)
    assert "2 tools do not state it." in counted("?sort=fact.new")[0]


def test_each_row_states_what_was_asked_for(client, agents):
    page = read(client.get(f"{PAGE}?sort=fact.window&fact.self-hosted=yes"))
    assert page.texts("p", class_="tool-row__stated") == ["Self-Hosted: Yes · Window: 8,000 tokens"]
    assert "Filter by facts (1 chosen)" in page.texts("summary")
    assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
    chosen = [option.text for option in page.all("option") if "selected" in option.attributes]
    assert chosen == ["Window"]
    assert page.one("input", type="checkbox", checked="").attributes["value"] == "yes"


def test_only_attributes_of_the_chosen_category_or_of_all_are_offered(client, agents):
    make.attribute(slug="asked-of-all", name="Asked of all", kind="yes-no")
    make.attribute(name="Elsewhere", asked_in=[make.category()])
    assert "Asked of all" in read(client.get("/tools/")).texts("legend")
    assert "Self-Hosted" not in read(client.get("/tools/")).texts("legend")
    for path in (PAGE, "/tools/?category=agents"):
        labels = read(client.get(path)).texts("legend")
        assert {"Self-Hosted", "Asked of all", "Window (tokens)"} <= set(labels)
        assert not {"Elsewhere", "Words"} & set(labels)


SENSELESS = [
    *("fact.self-hosted=maybe", "fact.licence=%ED%A0%80", "fact.licence=%25"),
    *("fact.window.min=many", "fact.window.max=NaN", "fact.window.max=1e400"),
    *(f"fact.window.min={'9' * 400}", "fact.release.min=2026-13-40"),
    *("fact.unknown=1", "fact.words=x", "fact.%00=1", "sort=fact.unknown", "sort=fact.words"),
]


def test_a_value_that_makes_no_sense_is_left_out_and_the_page_says_so(client, agents, snapshot):
    said = []
    for query in SENSELESS:
        page = read(client.get(f"{PAGE}?{query}"))
        assert page.texts("p", class_="tool-row__name") == ["A", "B", "C", "D"], query
        said += [f"?{query[:40]}", *page.notices]
    assert "\n".join(said) == snapshot
    assert read(client.get("/tools/?fact.self-hosted=&fact.window.min=")).notices == []


def test_bad_filters_are_neither_cached_nor_named_without_end(client, agents, page_cache):
    for query in ("fact.window.min=NaN", "fact.x=1", "sort=fact.x", "fact.self-hosted=%00"):
        assert client.get(f"{PAGE}?{query}").status_code == 200
    many = "&".join(f"fact.x{number}=1" for number in range(900))
    assert len(read(client.get(f"{PAGE}?{many}")).notices) == 5
    assert client.get(f"{PAGE}?{many}&{many}").status_code == 400  # over Django's 1,000 fields
    assert not cache.others.pages


def test_pages_are_cached_by_known_attributes_in_any_order_and_not_by_unknown_ones(
    client, agents, page_cache
):
    query = "sort=fact.window&fact.self-hosted=yes&fact.window.min=1"
    first = client.get(f"{PAGE}?{query}").content
    turned = "&".join(reversed(query.split("&")))
    for same in (f"{turned}&utm=1", f"{query}&fact.licence="):
        assert client.get(f"{PAGE}?{same}").content == first
    assert len(cache.others.pages) == 1
    for number in range(3):
        assert client.get(f"{PAGE}?fact.junk-{number}=1").status_code == 200
        assert client.get(f"/tools/?fact.window.min={number}").status_code == 200
    assert len(cache.others.pages) == 1
    for query in ("no&fact.self-hosted=yes", "yes&fact.self-hosted=no&fact.self-hosted=yes"):
        assert names(client, f"?fact.self-hosted={query}") == ["A", "B"]
    assert len(cache.others.pages) == 2
    assert names(client, "?fact.licence=MIT&fact.licence=Apache-2.0&fact.self-hosted=no") == ["B"]


def test_a_list_runs_one_query_however_many_limits_there_are(client, agents, keep_content):
    keep_content()

    def queries(query: str) -> int:
        client.get(f"{PAGE}?{query}")
        with CaptureQueriesContext(connection) as found:
            client.get(f"{PAGE}?{query}")
        return len(found)

    assert queries("fact.self-hosted=yes&fact.window.min=1&sort=fact.window") == 1
    assert queries("fact.licence=MIT&fact.window.min=1&fact.memory.max=9&sort=fact.memory") == 1


def test_a_list_runs_as_many_queries_for_30_attributes_as_for_3(client, agents):
    def queries(number: int) -> list[int]:
        while (have := Attribute.objects.filter(slug__startswith="asked").count()) < number:
            row = make.attribute(slug=f"asked-{have}", name=f"Asked {have}", kind="yes-no")
            make.fact(True, on=agents.tools.get(slug="a"), to=row)
        query = "&".join(f"fact.asked-{each}=yes" for each in range(number))
        found = []
        for path in ("/tools/", PAGE):
            with CaptureQueriesContext(connection) as captured:
                assert names(client, f"?{query}", path) == ["A"]
            found.append(len(captured))
        return found

    assert queries(3) == queries(30)


def test_the_next_page_keeps_the_filters(client, agents):
    row = make.attribute(slug="cloud", kind="yes-no", asked_in=[agents])
    for _ in range(25):
        make.fact(True, on=make.tool(in_category=agents), to=row)
    page = read(client.get(f"{PAGE}?fact.cloud=yes&sort=name"))
    assert page.one("a", rel="next").attributes["href"] == "?sort=name&page=2&fact.cloud=yes"
