"""What the database refuses, and the methods of the querysets of tools."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.content.records import Tool as PublicTool
from tests import factories as make
from tools.models import Category, FormerSlug, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
MINUTE = timedelta(minutes=1)


def refused():
    """Expect the database to refuse what is done inside."""
    return pytest.raises(IntegrityError)


def test_an_unknown_entry_is_refused():
    tool = make.tool()
    with refused(), transaction.atomic():
        Tool.objects.filter(pk=tool.pk).update(entry="cheap")


def test_one_slug_is_one_tool():
    make.tool(slug="a")
    with refused(), transaction.atomic():
        make.tool(slug="a")


def test_one_slug_is_one_category():
    make.category(slug="a")
    with refused(), transaction.atomic():
        make.category(slug="a")


def test_an_earlier_slug_leads_to_one_tool():
    FormerSlug.objects.create(slug="old", tool=make.tool())
    with refused(), transaction.atomic():
        FormerSlug.objects.create(slug="old", tool=make.tool())


def test_a_category_with_tools_is_not_deleted():
    tool = make.tool()
    with pytest.raises(ProtectedError):
        tool.category.delete()


@pytest.mark.parametrize("website", ["javascript:alert(1)", "ftp://example.com", "example.com"])
def test_a_website_is_an_http_or_https_address(website: str):
    tool = make.tool(website=website)
    with pytest.raises(ValidationError) as refusal:
        tool.full_clean()
    assert list(refusal.value.message_dict) == ["website"]


def test_a_tool_is_public_from_its_publication_time_on():
    now = timezone.now()
    tool = make.tool(published_at=now)
    assert not Tool.objects.published(now - MINUTE)
    assert Tool.objects.published(now).get() == tool
    assert Tool.objects.published(now + MINUTE).get() == tool


def test_a_draft_is_public_at_no_time():
    make.tool(published_at=None)
    assert not Tool.objects.published(timezone.now() + timedelta(days=36_500))


def test_a_tool_waits_for_its_category():
    now = timezone.now()
    make.tool(in_category=make.category(published_at=now + MINUTE))
    assert not Tool.objects.published(now)
    assert Tool.objects.published(now + MINUTE).count() == 1
    Category.objects.update(published_at=None)
    assert not Tool.objects.published(now + MINUTE)


def test_drafts_and_scheduled_tools_are_distinguished():
    now = timezone.now()
    draft = make.tool(published_at=None)
    scheduled = make.tool(published_at=now + MINUTE)
    public = make.tool(published_at=now)
    assert [row.state(now) for row in (draft, scheduled, public)] == [
        "draft",
        "scheduled",
        "public",
    ]
    assert Tool.objects.draft().get() == draft
    assert Tool.objects.scheduled(now).get() == scheduled


def test_a_renamed_tool_keeps_its_earlier_address():
    tool = make.tool(slug="old")
    tool.rename("new")
    tool.refresh_from_db()
    assert tool.slug == "new"
    assert tool.get_absolute_url() == "/tools/new/"
    assert Tool.objects.at("old") == tool
    assert Tool.objects.at("other") is None


def test_renaming_to_the_same_slug_changes_nothing():
    tool = make.tool(slug="a")
    tool.rename("a")
    assert not FormerSlug.objects.exists()


def test_renaming_back_is_no_error():
    tool = make.tool(slug="old")
    tool.rename("new")
    tool.rename("old")
    assert [row.slug for row in FormerSlug.objects.all()] == ["new"]


def test_renaming_to_a_taken_slug_changes_nothing():
    make.tool(slug="taken")
    tool = make.tool(slug="old")
    with refused():
        tool.rename("taken")
    assert Tool.objects.filter(slug="old").exists()
    assert not FormerSlug.objects.exists()


def test_a_slug_that_leads_to_another_tool_is_refused_beside_its_field():
    make.tool(slug="old", name="First").rename("new")
    other = make.tool()
    other.slug = "old"
    with pytest.raises(ValidationError, match="First") as refusal:
        other.full_clean()
    assert list(refusal.value.message_dict) == ["slug"]


def test_str_distinguishes_namesakes():
    first = make.tool(name="Code Llama 4", tagline="The open one")
    second = make.tool(name="Code Llama 4", slug="code-llama-4-agentic")
    assert str(first) == "Code Llama 4 (The open one)"
    assert str(second) == "Code Llama 4 (code-llama-4-agentic)"


def test_a_title_distinguishes_namesakes_and_only_them():
    make.tool(slug="a", name="Twin", label="one")
    make.tool(slug="b", name="TWIN", tagline="Two")
    make.tool(slug="c-" + "long-" * 5 + "slug", name="twin")
    make.tool(slug="d", name="Lone", label="three")
    rows = Tool.objects.with_namesakes(timezone.now()).order_by("slug")
    titles = ["Twin (one)", "TWIN (b)", "twin (…ong-long-long-long-slug)", "Lone"]
    assert [tool.title for tool in rows] == titles


def test_a_shortened_title_keeps_what_distinguishes_a_namesake():
    tool = Tool(name="Cursor – Background Agent", label="v0.50")
    assert tool.title_within(30) == "Cursor – Background Agent"
    assert tool.title_within(10) == "Cursor…"
    tool.shares_name = True
    assert tool.title_within(21) == "Cursor – Bac… (v0.50)"
    assert tool.title_within(8) == "Cursor…"


def test_namesakes_cannot_share_a_label():
    make.tool(name="Twin", label="first")
    other = make.tool(name="TWIN", label="First")
    with pytest.raises(ValidationError) as refusal:
        other.full_clean()
    assert list(refusal.value.message_dict) == ["label"]
    other.label = "second"
    other.full_clean()


def test_a_draft_of_the_same_name_changes_no_title():
    now = timezone.now()
    make.tool(slug="a", name="Twin")
    make.tool(slug="b", name="Twin", published_at=now + MINUTE)
    assert Tool.objects.with_namesakes(now).get(slug="a").title == "Twin"
    assert Tool.objects.with_namesakes(now + MINUTE).get(slug="a").title == "Twin (a)"


def called(text: str) -> Sequence[PublicTool]:
    """The public tools that the picker finds by this text alone."""
    return Content(None, timezone.now()).named.get(text.casefold(), ())


@pytest.mark.parametrize("name", ["Plain", "NeMo (12B)", "A (b) (c)", "🚀 – & 'x'", "מודל (שתיים)"])
@pytest.mark.parametrize("tagline", ["", "Small (and fast)", "100% _local_"])
def test_a_tool_is_called_by_slug_by_name_and_as_its_str_names_it(name: str, tagline: str):
    tool = make.tool(slug="the-slug", name=name, tagline=tagline)
    make.tool(name="Other", tagline=tagline)
    for text in ("the-slug", "The-Slug", name, str(tool)):
        assert [row.pk for row in called(text)] == [tool.pk]


@pytest.mark.parametrize("text", ["", "Pla", "Plain (", "Plain ()", "Plain (x)", "%", "_____"])
def test_other_texts_do_not_find_a_tool(text: str):
    make.tool(slug="plain-tool", name="Plain", tagline="Small")
    assert not called(text)


def test_names_are_sorted_without_regard_to_case():
    for name in ("b", "A", "C", "a2"):
        make.tool(name=name)
    assert [tool.name for tool in Tool.objects.by_name()] == ["A", "a2", "b", "C"]
