"""A dump is the same bytes for the same content, and a load of it restores that content."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Reviewer, Take
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.entries import SECTIONS
from tests import factories as make
from tests.catalogue import big
from tests.catalogue.documents import FORMAT, as_file, document, dumped, empty_the_site, load
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
FORMAT_1 = Path(__file__).parent / "samples" / "format_1.json"


def test_an_empty_site_is_a_document_too():
    text = dumped()
    assert json.loads(text) == {
        "format": FORMAT,
        "categories": [],
        "reviewers": [],
        "attributes": [],
        "families": [],
        "synonyms": [],
        "tools": [],
        "comparisons": [],
    }
    assert not load(as_file(text)).changed_anything


def test_dump_load_into_an_empty_site_and_dump_again_gives_the_same_bytes():
    given = document()
    given["categories"].append({"slug": "art", "name": "Art", "published": None})
    given["tools"].append({"slug": "a-b", "name": "\u2028 “é”\t\x7e", "category": "art"})
    given["tools"].append({"slug": "ab", "name": '\\ " / </script> %s', "category": "art"})
    given["tools"][-1]["description"] = "Windows\r\nline ends\n"
    given["comparisons"].append({"tools": ["beta", "ab", "a-b", "alpha"], "published": None})
    given["comparisons"][-1]["choose_if"] = {"alpha": "שלום, “both” fit", "a-b": "you wait"}
    load(as_file(given))
    first = dumped()
    empty_the_site()
    load(as_file(first))
    assert dumped() == first
    assert not load(as_file(first)).changed_anything


SOURCE = {"note": "", "source": "", "quote": "", "checked": None}
LICENCE: dict[str, Any] = {
    "slug": "licence", "name": "Licence", "group": "", "kind": "text", "unit": "",
    "better": None, "choices": [], "categories": [], "help": "", "position": 1000,
}  # fmt: skip


def test_the_first_format_is_read_and_dumped_in_the_newest():
    load(io.BytesIO(FORMAT_1.read_bytes()))
    was, now = json.loads(FORMAT_1.read_text()), json.loads(dumped())
    assert (was.pop("format"), now.pop("format")) == ("shipskip-catalogue/1", FORMAT)
    for tool in was["tools"]:
        tool |= {"label": "", "family": None, "former_slugs": [], "choose_if": ""}
        tool |= {"facts": [], "plans": [], "status": "unknown", "status_on": None}
        if tool["license"]:
            fact = {"attribute": "licence", "value": tool["license"]}
            own = {"note_only_explains": False, "unconfirmed": False}
            tool["facts"] = [fact | SOURCE | own]
        tool |= {"status_source": "", "status_note": "", "relation": "none"}
        tool |= {"source_id": "", "gone_from_source": None}
        tool["takes"] = [
            take | {"basis": "", "because": "", "held": False} for take in tool["takes"]
        ]
    for row in was["comparisons"]:
        row |= {"choose_if": {}}
    for row in was["reviewers"]:
        row |= {"sign": "", "tint": ""}
    was |= {"attributes": [LICENCE], "families": [], "synonyms": []}
    assert now == was


def test_a_dump_is_indented_and_contains_every_key_in_the_documented_order():
    load(as_file(document()))
    text = dumped()
    found = json.loads(text)
    assert text == json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    assert list(found) == ["format", *SECTIONS]
    assert list(SECTIONS)[:4] == ["categories", "reviewers", "attributes", "families"]
    assert list(SECTIONS)[4:] == ["tools", "comparisons", "synonyms"]
    assert list(found["categories"][0]) == ["slug", "name", "description"]
    assert list(found["reviewers"][0]) == (
        ["slug", "name", "motto", "bio", "likes", "dislikes", "position", "sign", "tint"]
    )
    assert list(found["tools"][1]) == [
        "slug", "name", "category", "maker", "website", "tagline", "description",
        "best_for", "entry", "pricing", "license", "published", "takes",
        "label", "family", "former_slugs", "choose_if",
        "status", "status_on", "status_source", "status_note", "relation",
        "source_id", "gone_from_source", "facts", "plans",
    ]  # fmt: skip
    assert list(found["tools"][0]["takes"][0]) == (
        ["reviewer", "score", "verdict", "basis", "because", "held", "body", "published"]
    )
    assert list(found["comparisons"][0]) == [
        "tools",
        "choose_if",
        "summary",
        "featured",
        "published",
    ]


def test_a_dump_is_ordered_by_slug_and_panel_with_featured_comparisons_first():
    given = document()
    given["tools"] = [
        {"slug": slug, "name": slug, "category": "chat"} for slug in ("b", "a1", "a-1", "a")
    ] + given["tools"]
    given["comparisons"] += [{"tools": ["b", "a"]}, {"tools": ["a", "b1"]}, {"tools": ["a", "a1"]}]
    given["tools"].append({"slug": "b1", "name": "B", "category": "chat"})
    load(as_file(given))
    found = json.loads(dumped())
    assert [row["slug"] for row in found["reviewers"]] == ["builder", "skeptic"]
    assert [row["slug"] for row in found["tools"]] == ["a", "a-1", "a1", "alpha", "b", "b1", "beta"]
    assert [take["reviewer"] for take in found["tools"][3]["takes"]] == ["builder", "skeptic"]
    assert [row["tools"] for row in found["comparisons"]] == [
        ["beta", "alpha"],
        ["a", "a1"],
        ["a", "b1"],
        ["b", "a"],
    ]


def test_publication_times_are_written_in_utc_and_only_for_what_was_not_always_public():
    given = document()
    given["categories"][0]["published"] = None
    load(as_file(given))
    found = json.loads(dumped())
    alpha = found["tools"][0]
    assert alpha["published"] == "2026-05-01T09:00:00Z"
    assert [take["published"] for take in alpha["takes"]] == [None, "2026-05-02T08:00:00.000250Z"]
    assert found["categories"][0]["published"] is None
    assert "published" not in found["reviewers"][0]


def test_a_deleted_category_or_reviewer_that_others_need_is_dumped_as_a_draft():
    tool, gone = make.tool(), make.category()
    take = make.take(on=tool)
    Category.objects.filter(pk=tool.category_id).update(
        deleted_at=make.PUBLISHED, published_at=None
    )
    Reviewer.objects.filter(pk=take.reviewer_id).update(
        deleted_at=make.PUBLISHED, published_at=None
    )
    Category.objects.filter(pk=gone.pk).update(deleted_at=make.PUBLISHED, published_at=None)
    text = dumped()
    found = json.loads(text)
    assert [row["published"] for row in found["categories"]] == [None]
    assert [row["published"] for row in found["reviewers"]] == [None]
    assert [row["slug"] for row in found["tools"]] == [tool.slug]
    for model in (Take, Tool, Category, Reviewer):
        model.everything.all().delete()
    load(as_file(text))
    assert dumped() == text


def test_an_attribute_is_not_dumped_without_a_deleted_category_in_which_alone_it_is_asked():
    category = make.category(slug="gone")
    make.attribute(asked_in=[category])
    Category.objects.filter(pk=category.pk).update(deleted_at=make.PUBLISHED, published_at=None)
    found = json.loads(dumped())
    assert [(row["slug"], row["published"]) for row in found["categories"]] == [("gone", None)]
    assert [row["categories"] for row in found["attributes"]] == [["gone"]]


@pytest.mark.parametrize("takes", [1, 3])
def test_the_queries_of_a_dump_do_not_depend_on_the_number_of_takes(takes):
    load(
        as_file(
            {
                "format": FORMAT,
                "categories": [{"slug": f"category-{at}", "name": "C"} for at in range(20)],
                "reviewers": big.reviewers(takes),
                "tools": list(big.tools(40, takes, words=3)),
            }
        )
    )
    with CaptureQueriesContext(connection) as queries:
        dumped()
    assert len(queries) == 15


@pytest.mark.django_db(transaction=True)
def test_a_dump_does_not_change_the_state_of_the_connection():
    load(as_file(document()))
    text = dumped()
    pieces = dump()
    next(pieces)
    pieces.close()
    assert not load(as_file(text)).changed_anything
    Tool.objects.create(slug="later", name="L", category=Category.objects.get())
    assert '"later"' in dumped()
