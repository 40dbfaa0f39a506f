"""The way from a public page to the form of its row, and the cookie that offers it."""

import pytest
from django.contrib.auth.models import User

from tests import factories as make

pytestmark = pytest.mark.django_db


def form_for(client, path):
    return client.get("/admin/edit/", {"path": path})["Location"]


def test_each_page_of_a_row_leads_to_its_form(publisher):
    alpha, beta = make.tool(slug="alpha"), make.tool(slug="beta")
    pair = make.comparison(tools=(beta, alpha))
    reviewer, issue = make.reviewer(slug="builder"), make.sent_issue()
    pages = {
        "/tools/alpha/": f"/admin/tools/tool/{alpha.pk}/change/",
        f"/categories/{alpha.category.slug}/": f"/admin/tools/category/{alpha.category_id}/change/",
        "/reviewers/builder/": f"/admin/reviews/reviewer/{reviewer.pk}/change/",
        "/compare/beta-vs-alpha/": f"/admin/comparisons/comparison/{pair.pk}/change/",
        issue.get_absolute_url(): f"/admin/newsletter/issue/{issue.pk}/change/",
    }
    for path, url in pages.items():
        assert form_for(publisher, path) == url


def test_a_comparison_that_no_editor_made_is_offered_as_a_new_one(publisher):
    alpha, beta = make.tool(slug="alpha"), make.tool(slug="beta")
    url = form_for(publisher, "/compare/alpha-vs-beta/")
    assert url == f"/admin/comparisons/comparison/add/?tools={alpha.pk}&tools={beta.pk}"
    assert publisher.get(url).status_code == 200


def test_other_paths_lead_to_the_first_page_and_visitors_to_the_login(publisher, client):
    paths = ["/", "/tools/", "/tools/none/", "/compare/none-vs-no/", "//evil.example/"]
    for path in ("", *paths, "x\0"):
        assert form_for(publisher, path) == "/admin/", path
    assert form_for(client, "/tools/alpha/").startswith("/admin/login/")


def test_the_cookie_is_there_from_the_login_to_the_logout(client):
    user = User.objects.create_user("wim", is_staff=True, password="a-long-good-one")
    account = {"username": user.username, "password": "wrong"}
    assert "desk" not in client.post("/admin/login/?next=/admin/", account).cookies
    account["password"] = "a-long-good-one"
    cookie = client.post("/admin/login/?next=/admin/", account).cookies["desk"]
    assert (cookie.value, cookie["path"], cookie["samesite"]) == ("/admin/", "/", "Lax")
    assert not cookie["httponly"]
    assert client.post("/admin/logout/").cookies["desk"].value == ""
