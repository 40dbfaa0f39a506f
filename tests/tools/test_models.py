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


def test_the_database_keeps_slugs_and_entries_valid_and_categories_of_tools():
    tool, category = make.tool(slug="a"), make.category(slug="b")
    FormerSlug.objects.create(slug="old", tool=tool)
    for forbidden in (
        lambda: Tool.objects.filter(pk=tool.pk).update(entry="cheap"),
        lambda: make.tool(slug="a", in_category=category),
        lambda: make.category(slug="b"),
        lambda: FormerSlug.objects.create(slug="old", tool=make.tool()),
    ):
        with refused(), transaction.atomic():
            forbidden()
    with pytest.raises(ProtectedError):
        tool.category.delete()


def test_a_website_is_an_http_or_https_address():
    for website in ("javascript:alert(1)", "ftp://example.com", "example.com"):
        assert faulty_fields(make.tool(website=website)) == ["website"], website


def faulty_fields(tool: Tool) -> list[str]:
    """The fields at which the tool is refused; there is at least one."""
    with pytest.raises(ValidationError) as refusal:
        tool.full_clean()
    return list(refusal.value.message_dict)


def test_a_tool_is_public_from_its_publication_time_and_that_of_its_category_on():
    now = timezone.now()
    draft = make.tool(published_at=None)
    scheduled = make.tool(published_at=now + MINUTE)
    public = make.tool(published_at=now)
    waiting = make.tool(in_category=make.category(published_at=now + MINUTE))
    tools = Tool.objects.order_by("pk")
    assert not tools.published(now - MINUTE)
    assert list(tools.published(now)) == [public]
    assert list(tools.published(now + MINUTE)) == [scheduled, public, waiting]
    assert draft not in tools.published(now + timedelta(days=36_500))
    states = [row.state(now) for row in (draft, scheduled, public)]
    assert states == ["draft", "scheduled", "public"]
    assert tools.draft().get() == draft
    assert tools.scheduled(now).get() == scheduled
    Category.objects.update(published_at=None)
    assert not tools.published(now + MINUTE)


def test_a_renamed_tool_keeps_its_earlier_address_and_no_other():
    tool = make.tool(slug="old")
    make.tool(slug="taken")
    tool.rename("old")
    with refused(), transaction.atomic():
        tool.rename("taken")
    assert Tool.objects.filter(slug="old").exists()
    assert not FormerSlug.objects.exists()
    tool = Tool.objects.get(slug="old")
    tool.rename("new")
    tool.refresh_from_db()
    assert tool.slug == "new"
    assert tool.get_absolute_url() == "/tools/new/"
    assert Tool.objects.at("old") == tool
    assert Tool.objects.at("other") is None
    other = make.tool()
    other.slug = "old"
    assert faulty_fields(other) == ["slug"]
    tool.rename("old")
    assert [row.slug for row in FormerSlug.objects.all()] == ["new"]


def test_str_and_titles_distinguish_namesakes_and_only_them():
    now = timezone.now()
    first = make.tool(slug="a", name="Twin", label="one")
    later = make.tool(slug="z", name="Twin", published_at=now + MINUTE)
    named = make.tool(name="Code Llama 4", tagline="The open one")
    names = ["Twin (one)", "Twin (z)", "Code Llama 4 (The open one)"]
    assert [str(tool) for tool in (first, later, named)] == names
    named.delete()
    rows = Tool.objects.with_namesakes(now).order_by("slug")
    assert rows[0].title == "Twin"
    assert Tool.objects.with_namesakes(now + MINUTE).get(slug="a").title == "Twin (one)"
    make.tool(slug="b", name="TWIN", tagline="Two")
    make.tool(slug="c-" + "long-" * 5 + "slug", name="twin")
    make.tool(slug="d", name="Lone", label="three")
    titles = ["Twin (one)", "TWIN (b)", "twin (…ong-long-long-long-slug)", "Lone"]
    assert [tool.title for tool in rows.all() if tool != later] == titles


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
    assert faulty_fields(other) == ["label"]
    other.label = "second"
    other.full_clean()


def called(text: str) -> Sequence[PublicTool]:
    """The public tools that the picker finds by this text alone."""
    return Content(None, timezone.now()).named.get(text.casefold(), ())


def test_a_tool_is_called_by_slug_by_name_and_as_its_str_names_it_and_by_nothing_else():
    category = make.category()
    for name in ("Plain", "NeMo (12B)", "A (b) (c)", "🚀 – & 'x'", "מודל (שתיים)"):
        for tagline in ("", "Small (and fast)", "100% _local_"):
            tool = make.tool(slug="the-slug", name=name, tagline=tagline, in_category=category)
            other = make.tool(name="Other", tagline=tagline, in_category=category)
            for text in ("the-slug", "The-Slug", name, str(tool)):
                assert [row.pk for row in called(text)] == [tool.pk], (text, tagline)
            tool.delete()
            other.delete()
    make.tool(slug="plain-tool", name="Plain", tagline="Small")
    for text in ("", "Pla", "Plain (", "Plain ()", "Plain (x)", "%", "_____"):
        assert not called(text), text


def test_names_are_sorted_without_regard_to_case():
    for name in ("b", "A", "C", "a2"):
        make.tool(name=name)
    assert [tool.name for tool in Tool.objects.by_name()] == ["A", "a2", "b", "C"]
