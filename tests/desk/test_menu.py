"""The desk's menu: what each role is offered, and where it says that one is."""

import pytest

from tests.desk.editor_clients import desk_of
from tests.markup import read

pytestmark = pytest.mark.django_db


def menu_of(client, path="/admin/"):
    """The links of the menu on a page, each with the value of `aria-current`."""
    return {
        e.text: (e.attributes["href"], e.attributes.get("aria-current"))
        for e in read(client.get(path)).elements
        if e.name == "a" and (e.within("nav") or e).attributes.get("aria-label") == "Desk"
    }


@pytest.mark.parametrize("role", ["Publishers", "Writers", "Administrators"])
def test_every_screen_of_the_menu_opens_for_its_role(role):
    client = desk_of(role)
    screens: dict[str, tuple] = {}
    for section, _ in menu_of(client).values():
        screens |= menu_of(client, section)
    for label, (url, _) in screens.items():
        assert client.get(url, follow=True).status_code == 200, label


def test_the_sections_are_what_editors_do():
    client = desk_of("Publishers")
    assert [*menu_of(client)] == ["Write", "Check", "Mail", "Panel", "Exchange", "Site"]
    assert "Exchange" not in menu_of(desk_of("Writers"))
    assert [*menu_of(desk_of())] == ["Site"]


def test_the_menu_says_where_one_is():
    client = desk_of("Publishers")
    for path, section, screen, current in [
        ("/admin/tools/tool/", "Write", "Tools", "page"),
        ("/admin/tools/tool/add/", "Write", "Tools", "true"),
        ("/admin/coverage/?what=old", "Check", "Coverage", "page"),
        ("/admin/search/synonym/", "Panel", "Words", "page"),
        ("/admin/password_change/", "Site", "My password", "page"),
    ]:
        here = {label: at for label, (_, at) in menu_of(client, path).items() if at}
        assert here == {section: "true", screen: current}, path
    for path in ("/admin/", "/admin/search/?q=a"):
        assert not any(at for _, at in menu_of(client, path).values()), path
