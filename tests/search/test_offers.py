"""What a search offers before its results, and which rows it finds for a question or a name."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from shipskip.search.models import SearchKind
from shipskip.search.searching import Scope, search
from tests import factories as make
from tests.markup import Document, read
from tests.search.answers import first_answer
from tools.models import Attribute, Tool

pytestmark = pytest.mark.django_db


def searched(client: Client, text: str) -> Document:
    """The page of results for a text."""
    return read(client.get("/search/", {"q": text}))


def names(page: Document) -> list[str]:
    """The names of the tools on the page, in order."""
    return page.texts("p", class_="tool-row__name")


@pytest.fixture
def site() -> None:
    """Three tools of one category, with facts and a text that mentions a name from elsewhere."""
    stores = make.category(name="Vector Search", slug="vector-search")
    text = "Faster than Weaviate, the newest store, for a code base."
    qdrant = make.tool(name="Qdrant", slug="qdrant", in_category=stores, description=text)
    make.tool(name="Pinecone", slug="pinecone", in_category=stores, entry="paid")
    make.tool(name="Code Llama", slug="code-llama", tagline="A model for code")
    make.panel(on=qdrant, ship=2)
    hosted = make.attribute(slug="self-hosted", name="Runs on your machines", kind="yes-no")
    make.fact(True, on=qdrant, to=hosted)


def test_two_names_are_offered_as_a_comparison_with_its_answer(client, site):
    for between in ("vs", "or", "versus", "vs.", "better than"):
        page = searched(client, f"is Qdrant {between} pinecone")
        assert first_answer(page) == "/compare/pinecone-vs-qdrant/", between
        answers = page.texts("p", class_="pair__answer")
        assert answers == ["Ship Qdrant. No verdict yet on Pinecone."], between
    runners = make.category(name="Local Inference")
    make.tool(name="Ollama", slug="ollama", in_category=runners)
    make.tool(name="llama.cpp", slug="llama-cpp", in_category=runners)
    page = searched(client, "ollama vs llama.cpp")  # similar names are no correction
    assert first_answer(page) == "/compare/llama-cpp-vs-ollama/"
    assert set(names(page)[:2]) == {"Ollama", "llama.cpp"}
    assert "Nothing matches" not in page.text


FIRST_OFFERS = [
    ("vector search", "/categories/vector-search/"),
    ("which vector store is best", "/categories/vector-search/"),
    ("paid", "/tools/?entry=paid"),
    ("self-hosted", "/tools/?fact.self-hosted=yes"),
    ("selfhosted vector search", "/categories/vector-search/?fact.self-hosted=yes"),
    ("is qdrant paid", "/tools/qdrant/"),
    ("linux or macos", "/tools/?fact.platforms=Linux&fact.platforms=macOS"),
    ("not self-hosted", "/tools/?fact.self-hosted=no"),
    ("paid self-hosted vector search", "/categories/vector-search/"),  # no tool is both
]


@pytest.mark.both_databases
def test_a_category_or_a_value_is_offered_as_a_list_if_it_has_tools(client, site):
    assert searched(client, "self-hosted").of_class("offer")
    assert not searched(client, "paid and self-hosted").of_class("offer")
    platforms = make.attribute(slug="platforms", kind="choice", choices=["Linux", "macOS"])
    qdrant, pinecone = (Tool.objects.get(slug=slug) for slug in ("qdrant", "pinecone"))
    make.fact("Linux", on=qdrant, to=platforms)
    make.fact("macOS", on=pinecone, to=platforms)
    make.fact(False, on=pinecone, to=Attribute.objects.get(slug="self-hosted"))
    for text, first in FIRST_OFFERS:
        assert first_answer(searched(client, text)) == first, text


UNKNOWN = [
    ("Weaviate", "Weaviate"),
    ("is weaviate code any good", "weaviate code"),
    ("qdrant vs windsurf", "windsurf"),
    ("newest store", ""),
    ("Qdrnt", ""),
    ("code", ""),
]


def test_a_name_that_nothing_bears_is_said_to_be_missing(client, site):
    for text, unknown in UNKNOWN:
        notices = [notice.text for notice in searched(client, text).of_class("notice")]
        missing = [notice for notice in notices if "is not here." in notice]
        assert bool(missing) == bool(unknown), text
        assert all(notice.startswith(f"{unknown} is not here.") for notice in missing), text


def hidden_rows(name: str) -> None:
    """Rows that readers do not see, with this name."""
    now = timezone.now()
    make.tool(name=name, published_at=None)
    make.tool(name=name, published_at=now + timedelta(days=1))
    for end in (Tool.withdraw, Tool.remove):
        tool = make.tool(name=name, description=f"{name} is quick.")
        end(tool, now)


@pytest.mark.both_databases
@pytest.mark.parametrize("hidden", ["Windsurf", "Windsurfs", "Qdrnt", "Weaviatecode", "Codeium"])
def test_what_is_missing_does_not_tell_what_readers_do_not_see(client, site, hidden):
    asked = ["windsurf", "qdrant vs windsurf", "Qdrnt", "weaviate code", "codeiun", "Weaviate"]

    def said() -> list[list[str]]:
        return [
            [notice.text for notice in searched(client, text).of_class("notice")] for text in asked
        ]

    before = said()
    hidden_rows(hidden)
    assert said() == before


@pytest.mark.both_databases
def test_strong_and_whole_words_come_first_and_a_reviewer_is_found_by_name_alone(client):
    for number in range(8):
        make.tool(name=f"Plain {number}", tagline="An agent for teams")
    make.tool(name="Rare", tagline="A zither for teams")
    make.tool(name="Machine")
    make.tool(name="Other", tagline="For the Mac")
    make.tool(name="Mac")
    assert names(searched(client, "which zither agent is best for teams"))[0] == "Rare"
    assert names(searched(client, "mac")) == ["Mac", "Machine", "Other"]
    assert names(searched(client, "ma")) == [], "two letters find no longer word"
    make.reviewer(name="Skeptic", slug="skeptic", motto="Names the price", bio="Asks for prices")
    assert first_answer(searched(client, "what does the skeptic say")) == "/reviewers/skeptic/"
    assert "/reviewers/skeptic/" not in searched(client, "asks names").links


SHORT = "A x 7 C C++ C# F# .NET R % Ω 五 百度 && 🚀 👩‍💻 To 1.0 ∀ ჯ"
WORDS = ["a & b", "The Best Tool", "How to Vote", "Что это", "naïve café"]
NAMES = [
    *SHORT.split(),
    *WORDS,
    "one two three four five six seven eight nine ten eleven",
    "the whole of all that one has to say of it in a long and winding name",
    "x" * 100,
    "🤖" * 100,
]


@pytest.mark.both_databases
def test_an_exact_name_is_the_first_result():
    """Among others that begin like it and have more words."""
    for name in NAMES:
        make.tool(name=f"{name[:80]} plus")
        make.tool(name=f"About {name[:80]}")
    keys = {name: make.tool(name=name).pk for name in NAMES}
    for name, key in keys.items():
        found = search(name, Scope(timezone.now()))
        assert found.keys(SearchKind.TOOL)[:1] == [key], name
        assert not found.corrected, name


@pytest.mark.both_databases
def test_nothing_typed_finds_nothing_and_operators_are_words():
    make.tool(name="%")
    operators = ("OR NOT", "NEAR(a b)", 'a" OR "b', "tokens:x ^a*", "a:* & !b | (c")
    for text in ("", " ", "\t\n", "\u200b", *operators):
        assert not search(text, Scope(timezone.now())).ranks, repr(text)
