"""A dump is the same bytes for the same content, and a load of it restores that content."""

import json

import pytest

from reviews.models import Reviewer, Take
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.entries import SECTIONS
from shipskip.search.models import Synonym
from tests import factories as make
from tests.catalogue.documents import (
    FORMAT,
    SAMPLES,
    as_file,
    assert_comes_back,
    assert_has,
    document,
    dumped,
    large,
    load,
    queries,
    with_facts,
)
from tools.models import Category, FormerSlug, Tool

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_a_dump_is_the_same_bytes_after_a_load_into_an_empty_site():
    text = dumped()
    assert json.loads(text) == {"format": FORMAT} | {name: [] for name in SECTIONS}
    assert not load(as_file(text)).changed_anything
    given = document()
    given["categories"].append({"slug": "art", "name": "Art", "published": None})
    given["tools"].append({"slug": "a-b", "name": "\u2028 “é”\t\x7e", "category": "art"})
    given["tools"].append({"slug": "ab", "name": '\\ " / </script> %s', "category": "art"})
    given["tools"][-1]["description"] = "Windows\r\nline ends\n"
    given["comparisons"].append({"tools": ["beta", "ab", "a-b", "alpha"], "published": None})
    given["comparisons"][-1]["choose_if"] = {"alpha": "שלום, “both” fit", "a-b": "you wait"}
    load(as_file(given))
    assert_comes_back(dumped())


@pytest.mark.both_databases
def test_the_first_format_is_read_and_dumped_in_the_newest():
    text = (SAMPLES / "format_1.json").read_text()
    load(as_file(text))
    was, now = json.loads(text), json.loads(dumped())
    assert (was.pop("format"), now["format"]) == ("shipskip-catalogue/1", FORMAT)
    assert_has(now, was)
    assert [(row["slug"], row["kind"]) for row in now["attributes"]] == [("licence", "text")]
    licences = [fact["value"] for tool in now["tools"] for fact in tool["facts"]]
    assert licences == [tool["license"] for tool in was["tools"] if tool["license"]]


@pytest.mark.both_databases
def test_keys_and_rows_of_a_dump_are_in_the_documented_order_and_its_times_in_utc(snapshot):
    given = with_facts()
    given["tools"] += [
        {"slug": slug, "name": slug, "category": "chat"} for slug in ("b", "a1", "a-1", "a", "b1")
    ]
    given["comparisons"] += [{"tools": ["b", "a"]}, {"tools": ["a", "b1"]}, {"tools": ["a", "a1"]}]
    given["categories"][0]["published"] = None
    load(as_file(given))
    beta = Tool.objects.get(slug="beta")
    beta.rename("b2")
    FormerSlug.objects.bulk_create(FormerSlug(slug=slug, tool=beta) for slug in ("beta", "second"))
    text = dumped()
    found = json.loads(text)
    assert text == json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    assert list(found) == ["format", *SECTIONS]
    keys = {name: " ".join(found[name][0]) for name in SECTIONS if found[name]}
    keys["takes"] = " ".join(found["tools"][3]["takes"][0])
    assert keys == snapshot(name="keys")
    assert [row["slug"] for row in found["reviewers"]] == ["builder", "skeptic"]
    assert [row["slug"] for row in found["tools"]] == ["a", "a-1", "a1", "alpha", "b", "b1", "b2"]
    pairs = [" ".join(row["tools"]) for row in found["comparisons"]]
    assert pairs == ["b2 alpha", "a a1", "a b1", "b a"]
    alpha, renamed = found["tools"][3], found["tools"][6]
    assert (alpha["former_slugs"], renamed["former_slugs"]) == (["first"], ["beta", "second"])
    parts = [*found["attributes"], *found["families"], *alpha["facts"], *alpha["plans"]]
    assert [json.dumps(row, ensure_ascii=False) for row in parts] == snapshot(name="facts")
    assert alpha["published"] == "2026-05-01T09:00:00Z"
    assert [(take["reviewer"], take["published"]) for take in alpha["takes"]] == [
        ("builder", None),
        ("skeptic", "2026-05-02T08:00:00.000250Z"),
    ]
    assert found["categories"][0]["published"] is None
    assert "published" not in found["reviewers"][0]
    assert_comes_back(text)


@pytest.mark.both_databases
def test_a_deleted_category_or_reviewer_that_others_need_is_dumped_as_a_draft():
    tool, gone, asked_in = make.tool(), make.category(), make.category(slug="asked-in")
    take = make.take(on=tool)
    make.attribute(asked_in=[asked_in])
    deleted = {"deleted_at": make.PUBLISHED, "published_at": None}
    Category.objects.filter(pk__in=[tool.category_id, gone.pk, asked_in.pk]).update(**deleted)
    Reviewer.objects.filter(pk=take.reviewer_id).update(**deleted)
    text = dumped()
    found = json.loads(text)
    categories = {(row["slug"], row["published"]) for row in found["categories"]}
    assert categories == {(tool.category.slug, None), ("asked-in", None)}
    assert [row["published"] for row in found["reviewers"]] == [None]
    assert [row["slug"] for row in found["tools"]] == [tool.slug]
    assert [row["categories"] for row in found["attributes"]] == [["asked-in"]]
    for model in (Take, Tool, Category, Reviewer):
        model.everything.all().delete()
    load(as_file(text))
    assert dumped() == text


def test_the_queries_of_a_dump_do_not_depend_on_the_number_of_rows():
    load(as_file(large(2, 1)))
    few = queries(dumped)
    load(as_file(large(20, 3)))
    assert queries(dumped) == few


def test_synonyms_are_loaded_changed_and_dumped():
    def loaded(**synonym: str):
        return load(as_file({"format": FORMAT, "synonyms": [synonym]})).counts["synonyms"]

    assert loaded(word="LLM", means="language model").created == 1
    assert loaded(word="LLM", means="language model").left_alone == 1
    assert loaded(word="llm", means="large language model").changed == 1
    row = Synonym.objects.get()
    assert (row.word_key, row.means_key) == ("llm", "large language model")
    assert row.history.count() == 2
    dumped_rows = json.loads(dumped())["synonyms"]
    assert dumped_rows == [{"word": "llm", "means": "large language model"}]


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_dump_does_not_change_the_state_of_the_connection():
    load(as_file(document()))
    pieces = dump()
    next(pieces)
    pieces.close()
    make.tool(slug="later", in_category=Category.objects.get())
    assert '"later"' in dumped()
