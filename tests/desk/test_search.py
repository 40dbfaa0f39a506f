"""The desk's search: what it finds, for whom, with state and last change."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from shipskip.search.models import Synonym
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Family

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def found(client, text):
    """The page of what is found."""
    return read(client.get("/admin/search/", {"q": text}))


def test_rows_of_every_kind_are_found_with_state_and_last_change_and_deleted_ones_to_bring_back(
    publisher, snapshot, clock
):
    clock(NOW)
    User.objects.create(username="ana", first_name="Ana")
    agents = make.category(name="Agents")
    draft = make.tool(name="Needle", published_at=None, in_category=agents)
    change(draft, by="ana", tagline="Sharp")
    alpha = make.tool(name="Alpha", in_category=agents)
    size = make.attribute(name="Needle size", slug="needle-size")
    make.fact(Decimal(7), on=alpha, to=size)
    Family.objects.create(name="Needles", slug="needles")
    Synonym.objects.create(word="needle", means="pin")
    for row in (
        make.tool(name="Needle gone", in_category=agents),
        make.take(on=alpha, by=make.reviewer(name="Needle judge")),
        make.category(name="Needlework"),
    ):
        row.remove(NOW)
    make.attribute(name="Needle gone").delete()
    Family.objects.create(name="Needle gone", slug="gone").delete()
    page = found(publisher, "NEEDLE")
    assert page.visible_text == snapshot
    links = [a.attributes["href"] for a in page.all("a") if a.within("li") and a.within("main")]
    assert f"/admin/tools/tool/{draft.pk}/change/" in links
    assert f"/admin/tools/tool/{alpha.pk}/change/#fact-needle-size" in links
    assert [publisher.get(url).status_code for url in links] == [200] * 11
    facts = [found(publisher, text).texts("h2") for text in ("needle alpha", "alpha")]
    assert ["Facts" in headings for headings in facts] == [True, False]


def test_nobody_finds_what_they_may_not_see(publisher):
    make.tool(name="Needle")
    make.category(name="Needlework")
    User.objects.create(username="needle")
    make.subscriber(address="needle@example.org")
    for client, kinds in (
        (publisher, ["Tools", "Categories", "Subscribers"]),
        (desk_of(rights=("view_category",)), ["Categories"]),
        (desk_of(rights=("view_user",)), ["Accounts"]),
    ):
        assert found(client, "needle").texts("h2") == kinds


def test_the_search_field_stands_on_every_screen_and_keeps_the_text(publisher):
    for path in ("/admin/", "/admin/tools/tool/", "/admin/search/?q=needle"):
        (field,) = read(publisher.get(path)).all("input", type="search")
        assert field.attributes["value"] == ("needle" if "q=" in path else "")
