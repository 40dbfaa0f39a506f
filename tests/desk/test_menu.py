"""The desk's menu: what each role is offered, where it says that one is; the way from public
pages.
"""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import resolve, reverse

from shipskip.desk.menu import SECTIONS
from shipskip.desk.urls import SCREENS
from tests import factories as make
from tests.browser import desk_screens
from tests.desk.editor_clients import desk_of
from tests.markup import read

pytestmark = pytest.mark.django_db


def menu_of(client, path="/admin/"):
    """The links of the menu on a page, each with the value of `aria-current`."""
    response = client.get(path)
    assert response.status_code == 200, path
    return {
        e.text: (e.attributes["href"], e.attributes.get("aria-current"))
        for e in read(response).elements
        if e.name == "a" and (e.within("nav") or e).attributes.get("aria-label") == "Desk"
    }


def test_every_screen_of_the_menu_opens_for_its_role(publisher, writer, editor_client):
    opened = []
    for client in (publisher, writer, editor_client):
        sections = {url for url, _ in menu_of(client).values()}
        screens = {url for section in sections for url, _ in menu_of(client, section).values()}
        for url in screens - sections:
            assert client.get(url, follow=True).status_code == 200, url
        opened.append(screens)
    assert opened[1] < opened[0] < opened[2]
    assert {"/admin/auth/user/", "/admin/auth/group/"} == opened[2] - opened[0]


def test_a_list_is_headed_as_in_the_menu(editor_client):
    lists = [
        (label, reverse(f"admin:{name}"))
        for _, entries in SECTIONS
        for label, name, _ in entries
        if name.endswith("_changelist")
    ]
    for label, url in lists:
        page = read(editor_client.get(url))
        assert [e.text for e in page.elements if e.name == "h1"] == [label], url


def test_the_sections_are_what_editors_do(publisher, writer):
    assert [*menu_of(publisher)] == ["Write", "Check", "Mail", "Panel", "Exchange", "Site"]
    assert "Exchange" not in menu_of(writer)
    assert [*menu_of(desk_of())] == ["Site"]


def test_the_menu_says_where_one_is(publisher):
    for path, section, screen, current in [
        ("/admin/tools/tool/", "Write", "Tools", "page"),
        ("/admin/tools/tool/add/", "Write", "Tools", "true"),
        ("/admin/coverage/?what=old", "Check", "Coverage", "page"),
        ("/admin/search/synonym/", "Panel", "Synonyms", "page"),
        ("/admin/password_change/", "Site", "My password", "page"),
    ]:
        here = {label: at for label, (_, at) in menu_of(publisher, path).items() if at}
        assert here == {section: "true", screen: current}, path
    for path in ("/admin/", "/admin/search/?q=a"):
        assert not any(at for _, at in menu_of(publisher, path).values()), path


def test_the_crawl_visits_every_screen_of_the_desk_and_every_list_with_its_form():
    paths = [re.sub(r"{.*?}", "1", path.partition("?")[0]) for path in desk_screens.ALL.values()]
    missing = {name for _, _, name in SCREENS} - desk_screens.NO_SCREENS
    for model in filter(admin.site.is_registered, apps.get_models()):
        screen = f"{model._meta.app_label}_{model._meta.model_name}"
        missing |= {f"{screen}_changelist", f"{screen}_change"}
    missing -= {resolve(path).url_name for path in paths}
    assert not missing, "add their paths to a table of tests/browser/desk_screens.py"


# --- From the public pages to the desk -------------------------------------------------------


def form_for(client, path):
    return client.get("/admin/edit/", {"path": path})["Location"]


def test_each_page_leads_to_the_form_of_its_row_or_to_the_first_page(publisher, client):
    alpha, beta = make.tool(slug="alpha"), make.tool(slug="beta")
    rows: dict[str, Any] = {
        "tools/tool": alpha,
        "tools/category": alpha.category,
        "reviews/reviewer": make.reviewer(),
        "comparisons/comparison": make.comparison(tools=(beta, make.tool())),
    }
    issues = [make.sent_issue(until=make.PUBLISHED + timedelta(days=7 * n)) for n in (1, 2, 3)]
    for screen, row in [*rows.items(), *[("newsletter/issue", issue) for issue in issues]]:
        assert form_for(publisher, row.get_absolute_url()) == f"/admin/{screen}/{row.pk}/change/"
    new = form_for(publisher, "/compare/alpha-vs-beta/")
    assert new == f"/admin/comparisons/comparison/add/?tools={alpha.pk}&tools={beta.pk}"
    assert publisher.get(new).status_code == 200
    others = ["/", "/tools/", "/tools/none/", "/compare/none-vs-no/", "//evil.example/", "x\0", ""]
    others.append("/newsletter/2020-01-01/")
    for path in others:
        assert form_for(publisher, path) == "/admin/", path
    assert form_for(client, "/tools/alpha/").startswith("/admin/login/")


def test_the_cookie_is_there_from_the_login_to_the_logout(client):
    User.objects.create_user("wim", is_staff=True, password="a-long-good-one")
    account = {"username": "wim", "password": "wrong"}
    assert "desk" not in client.post("/admin/login/?next=/admin/", account).cookies
    account["password"] = "a-long-good-one"
    cookie = client.post("/admin/login/?next=/admin/", account).cookies["desk"]
    assert (cookie.value, cookie["path"], cookie["samesite"]) == ("/admin/", "/", "Lax")
    assert not cookie["httponly"]
    assert client.post("/admin/logout/").cookies["desk"].value == ""
