"""The desk's search: what it finds, for whom, with state and last change."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from shipskip.search.models import Synonym
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import desk_of
from tests.markup import Document
from tools.models import Family

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def found(client, text):
    """What the page lists: the links by heading, with the words beside each."""
    page = Document(client.get("/admin/search/", {"q": text}).content.decode())
    groups: dict[str, dict[str, tuple[str, str]]] = {}
    heading = ""
    for element in page.elements:
        if element.name == "h2":
            heading = element.text
            groups[heading] = {}
        elif (
            element.name == "li"
            and (element.within("ul") or element).attributes.get("class") == "results"
        ):
            link = next(e for e in page.elements if e.name == "a" and element in e.inside)
            words = element.text.removeprefix(link.text).strip()
            groups[heading][link.text] = (link.attributes["href"], words)
    return groups


def test_each_result_has_its_state_and_its_last_change(publisher):
    User.objects.create(username="ana", first_name="Ana")
    draft = make.tool(name="Needle", published_at=None)
    change(draft, at=NOW, by="ana", tagline="Sharp")
    url, words = found(publisher, "needle")["Tools"]["Needle"]
    assert url == f"/admin/tools/tool/{draft.pk}/change/"
    assert words.startswith("Draft ")
    assert words.endswith(" by Ana")


def test_rows_outside_of_the_index_are_found(publisher):
    tool = make.tool(name="Alpha")
    attribute = make.attribute(name="Needle size", slug="needle-size")
    make.fact(Decimal(7), on=tool, to=attribute)
    Family.objects.create(name="Needles", slug="needles")
    Synonym.objects.create(word="needle", means="pin")
    groups = found(publisher, "NEEDLE")
    assert [*groups] == ["Attributes", "Facts", "Families", "Words"]
    (fact,) = groups["Facts"].values()
    assert fact[0] == f"/admin/tools/tool/{tool.pk}/change/#fact-needle-size"
    assert fact[1].startswith("of Alpha")
    assert [*found(publisher, "needle alpha")["Facts"]] == [*groups["Facts"]]
    assert "Facts" not in found(publisher, "alpha")


def test_deleted_rows_are_found_with_the_page_that_brings_them_back(publisher):
    tool = make.tool(name="Needle", published_at=None)
    take = make.take(on=make.tool(), by=make.reviewer(name="Needle judge"))
    category = make.category(name="Needlework")
    tool.remove(NOW)
    take.remove(NOW)
    category.remove(NOW)
    make.attribute(name="Needle size").delete()
    Family.objects.create(name="Needles", slug="needles").delete()
    groups = found(publisher, "needle")
    for plural in ("tools", "takes", "categories", "attributes", "families"):
        ((url, words),) = groups[f"Deleted {plural}"].values()
        assert words.startswith("Deleted ")
        assert publisher.get(url).status_code == 200
    assert "Tools" not in groups


def test_nobody_finds_what_they_may_not_see(publisher):
    make.tool(name="Needle")
    make.category(name="Needlework")
    User.objects.create(username="needle")
    make.subscriber(address="needle@example.org")
    assert {*found(publisher, "needle")} == {"Tools", "Categories", "Subscribers"}
    assert {*found(desk_of(rights=("view_category",)), "needle")} == {"Categories"}
    assert {*found(desk_of(rights=("view_user",)), "needle")} == {"Accounts"}


def test_the_search_field_stands_on_every_screen_and_keeps_the_text(publisher):
    for path in ("/admin/", "/admin/tools/tool/", "/admin/search/?q=needle"):
        page = Document(publisher.get(path).content.decode())
        (field,) = [e for e in page.elements if e.attributes.get("type") == "search"]
        assert field.attributes["value"] == ("needle" if "q=" in path else "")
