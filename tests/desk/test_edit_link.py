"""The way from a public page to the form of its row, and the cookie that offers it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories as make

pytestmark = pytest.mark.django_db


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
