"""The page of results and the suggestions; tests/malformed_input types what is no word."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from shipskip.search.models import SearchChange, SearchDocument, Synonym
from tests import addresses
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def found(client, text: str, **query: str) -> list[str]:
    """The names of the tools that are found, in order."""
    page = read(client.get("/search/", {"q": text, **query}))
    return page.texts("p", class_="tool-row__name")


def test_a_page_of_results_is_grouped_by_kind_and_asks_not_to_be_listed(client, snapshot):
    addresses.sample_site()
    page = read(client.get("/search/", {"q": "alpha"}))
    assert page.visible_text == snapshot
    assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
    assert read(client.get("/search/", {"q": "builder"})).texts("h2")[0] == "Reviewers"


def test_a_search_with_an_error_offers_corrections_and_the_literal_one(client, snapshot):
    make.tool(name="SmolLM3", slug="smollm3")
    make.tool(name="Ollama", slug="ollama")
    page = read(client.get("/search/", {"q": "smolm3"}))
    assert page.visible_text == snapshot(name="corrected")
    assert "/search/?q=smolm3&literal=on" in page.links
    literal = read(client.get("/search/", {"q": "smolm3", "literal": "on"}))
    assert literal.visible_text == snapshot(name="literal")
    nothing = read(client.get("/search/", {"q": "olxxma"}))
    assert nothing.visible_text == snapshot(name="nothing found")
    assert "/tools/ollama/" in nothing.links


def test_readers_cannot_find_drafts(client):
    make.tool(name="Secret", published_at=None)
    make.tool(name="Tomorrow", published_at=timezone.now() + timedelta(days=1))
    make.tool(name="Hidden", in_category=make.category(name="Covert", published_at=None))
    for text in ("secret", "secrt", "tomorrow", "hidden", "covert"):
        assert found(client, text) == []
        assert "Secret" not in client.get("/search/suggest/", {"q": text}).content.decode()


def test_among_equal_results_more_votes_come_first_then_the_score(client):
    plain, scored, voted = (make.tool(name=f"Agent {n}", slug=n) for n in ("aa", "bb", "cc"))
    make.take(on=scored, score=90)
    make.take(on=plain, score=40)
    assert found(client, "agent") == ["Agent bb", "Agent aa", "Agent cc"]
    client.post(f"/tools/{voted.slug}/vote/", {"choice": "ship"})
    assert found(client, "agent")[0] == "Agent cc"


def test_a_changed_renamed_or_deleted_tool_is_found_as_it_is_now(client):
    tool = make.tool(name="First", slug="first")
    assert found(client, "first") == ["First"]
    tool.name = "Second"
    tool.save()
    tool.rename("second")
    assert found(client, "second") == ["Second"]
    assert found(client, "first") == ["Second"], "earlier names and addresses are found too"
    tool.category.name = "Zithers"
    tool.category.save()
    assert found(client, "zithers") == ["Second"]
    with connection.cursor() as cursor:  # a row written without Django
        cursor.execute("UPDATE tools_tool SET name = 'Changed' WHERE id = %s", [tool.pk])
    assert found(client, "changed") == ["Changed"]
    assert not SearchChange.objects.exists()
    assert SearchDocument.objects.filter(kind="tool").count() == 1
    tool.remove(timezone.now())
    assert found(client, "changed") == []


def test_suggestions_are_options_that_lead_to_pages(client):
    make.tool(name="LangGraph", slug="langgraph", tagline="Agents")
    page = read(client.get("/search/suggest/", {"q": "langgr"}))
    [option] = page.all("li", role="option")
    assert option.attributes["id"] == "suggestion-1"
    assert page.one("a", href="/tools/langgraph/").text == "LangGraph Agents"
    assert read(client.get("/search/suggest/", {"q": ""})).all("li") == []
    answer = client.get("/search/opensearch.xml")
    assert answer["Content-Type"] == "application/opensearchdescription+xml"
    assert "/search/?q={searchTerms}" in answer.content.decode()


SPELLINGS = [
    ("libraries", "library"),
    ("quantised", "quantization"),
    ("colour", "colors"),
    ("Łódź", "lodz"),
    ("ЖУРНАЛ", "журнал"),
    ("code reviews", "review code"),
    ("北京大学", "北京"),
]


def test_spelling_number_accents_case_and_synonyms_do_not_matter(client):
    tool = make.tool(name="Alpha", tagline="A language model")
    make.tool(name="Beta", tagline="Something else")
    assert found(client, "llm") == []
    Synonym.objects.create(word="LLM", means="language model")
    assert found(client, "llm") == ["Alpha"]
    for written, typed in SPELLINGS:
        tool.tagline = f"With {written} inside"
        tool.save()
        assert found(client, typed) == ["Alpha"], typed


def test_a_synonym_that_changes_no_search_is_refused():
    Synonym.objects.create(word="LLM", means="language model").full_clean()
    Synonym(word="gpu", means="graphics card").full_clean()
    for word, means, field, fault in (
        ("!?", "model", "word", "Give at least one letter or digit."),
        ("model", "—", "means", "Give at least one letter or digit."),
        ("MODEL", "model", "means", "A search treats both as the same word"),
        ("llm", "other words", "word", "This word has a synonym already: change that one."),
    ):
        with pytest.raises(ValidationError) as refused:
            Synonym(word=word, means=means).full_clean()
        found = refused.value.message_dict
        assert {*found} - {"word_key"} == {field}, word
        assert found[field][0].startswith(fault), word
