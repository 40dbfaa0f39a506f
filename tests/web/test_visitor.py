"""The visitor cookie: set by the first vote or bookmark, not by reading; valid if we signed it."""

from http.cookies import Morsel
from uuid import UUID, uuid4

import pytest
from django.core.signing import Signer
from django.test import Client, RequestFactory

from reviews.models import Vote
from shipskip.web.visitor import LIFETIME, visitor_of
from tests import factories
from tests.reviews.voters import row_counts, set_visitor_cookie, vote_url
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def sign(text: str) -> str:
    return Signer(salt="shipskip.visitor").sign(text)


def vote(client: Client, tool: Tool, choice: str = "ship") -> "Morsel[str] | None":
    """Vote, and the visitor cookie of the answer, if it sets one."""
    return client.post(vote_url(tool), {"choice": choice}).cookies.get("visitor")


def visitors() -> list[UUID | None]:
    return list(Vote.objects.order_by("pk").values_list("visitor", flat=True))


def test_no_page_makes_a_visitor(tool: Tool):
    factories.tool(slug="b", name="B")
    factories.reviewer(slug="builder")
    client = Client()
    for path in (
        "/",
        "/compare/",
        "/compare/a-vs-b/",
        "/tools/",
        "/tools/a/",
        f"/categories/{tool.category.slug}/",
        "/reviewers/",
        "/reviewers/builder/",
        "/methodology/",
        "/bookmarks/",
        "/tools/a/vote/",
        "/tools/a/bookmark/",
        "/me/",
        "/me/marks/?tools=a&tools=b",
        "/me/forget/",
        "/zzzz/",
        "/robots.txt",
    ):
        response = client.get(path)
        assert response.status_code in (200, 404), path
        assert not response.cookies, path
    assert not client.cookies


def test_the_first_vote_or_bookmark_sets_the_visitor_s_cookie_and_one_for_scripts(tool: Tool):
    forms = {"vote": {"choice": "ship"}, "bookmark": {"saved": "yes"}}
    values = []
    for path, form in forms.items():
        cookies = Client().post(f"/tools/a/{path}/", form).cookies
        for name, httponly in (("visitor", True), ("marks", "")):
            cookie = cookies[name]
            assert (cookie["httponly"], cookie["samesite"]) == (httponly, "Lax"), name
            assert (cookie["path"], cookie["domain"]) == ("/", ""), name
            assert cookie["secure"] == "", name  # over plain http a browser would not send it back
            assert cookie["max-age"] == LIFETIME <= 400 * 24 * 3600, name
        assert cookies["marks"].value == "1"
        values.append(cookies["visitor"].value)
    ids = [UUID(hex=value.split(":")[0]) for value in values]
    assert ids == [Vote.objects.get().visitor, Bookmark.objects.get().visitor]
    assert {one.version for one in ids} == {4}
    assert len(set(ids)) == 2
    assert [sign(one.hex) for one in ids] == values


def test_only_a_cookie_of_exactly_the_name_counts(rf: RequestFactory, settings):
    settings.SECURE_SITE = True
    value = sign(uuid4().hex)
    for before in ("", " ", "a=b; "):
        for space in ("", "\u2000", "\u3000", "\x0b", "\x85", "\xa0"):
            header = f"{before}{space}__Host-visitor={value}".encode().decode("latin-1")
            counts = visitor_of(rf.get("/", HTTP_COOKIE=header)) is not None
            assert counts == (space == ""), (before, space)


@pytest.mark.parametrize(
    ("path", "sent"), [("vote", {"choice": "none"}), ("bookmark", {"saved": "no"})]
)
def test_withdrawing_a_vote_that_was_never_cast_creates_no_visitor(
    client: Client, tool: Tool, path: str, sent: dict[str, str]
):
    before = row_counts()
    response = client.post(f"/tools/a/{path}/", sent)
    assert response.status_code == 303
    assert "visitor" not in response.cookies
    after = row_counts()
    assert after | {"reviews_tooltally": 0} == before | {"reviews_tooltally": 0}


def test_the_same_browser_stays_the_same_visitor(client: Client, tool: Tool):
    first = vote(client, tool)
    second = vote(client, tool, "skip")
    assert first is not None
    assert second is not None
    assert first.value == second.value
    client.post("/tools/a/bookmark/", {"saved": "yes"})
    assert visitors() == [Bookmark.objects.get().visitor]


def test_over_https_the_cookie_is_secure_and_bound_to_the_host(tool: Tool, settings):
    settings.SECURE_SITE = True
    client = Client()
    response = client.post(vote_url(tool), {"choice": "ship"}, secure=True)
    assert set(response.cookies) == {"__Host-visitor", "marks"}
    assert response.cookies["marks"]["secure"] is True
    cookie = response.cookies["__Host-visitor"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    client.post(vote_url(tool), {"choice": "skip"}, secure=True)
    assert Vote.objects.count() == 1
    deleted_cookie = client.post("/me/forget/", secure=True).cookies["__Host-visitor"]
    assert (deleted_cookie["max-age"], deleted_cookie["secure"], deleted_cookie["path"]) == (
        0,
        True,
        "/",
    )


def test_over_https_a_cookie_without_the_prefix_is_ignored(tool: Tool, settings):
    settings.SECURE_SITE = True
    client, who = Client(), uuid4()
    client.cookies["visitor"] = sign(who.hex)
    client.post(vote_url(tool), {"choice": "ship"}, secure=True)
    assert who not in visitors()


GOOD = UUID("0123456789ab4def8123456789abcdef")
NOT_OURS = {
    "empty": "",
    "unsigned": GOOD.hex,
    "signature of nothing": f"{GOOD.hex}:",
    "forged signature": f"{GOOD.hex}:{'A' * 43}",
    "only separators": ":::",
    "not a word": "%00%ff",
    "accents": "é:é",
    "emoji": "🚢:🚢".encode().decode("latin-1"),  # as a server hands its bytes over
    "oversized": "a" * 5_000,
    "quotes": '";Path=/',
    "last character missing": sign(GOOD.hex)[:-1],
    "first character missing": sign(GOOD.hex)[1:],
    "one character more": sign(GOOD.hex) + "x",
    "no separator": sign(GOOD.hex).replace(":", ""),
    "backwards": sign(GOOD.hex)[::-1],
    "another id": f"1{sign(GOOD.hex)[1:]}",
    "signed for another use": Signer(salt="another").sign(GOOD.hex),
    "signed with another key": Signer(key="another", salt="shipskip.visitor").sign(GOOD.hex),
    "no id": sign("not an id"),
    "no text": sign(""),
    "too long an id": sign(GOOD.hex + "00"),
}


def test_a_forged_damaged_or_changed_cookie_identifies_nobody(rf: RequestFactory):
    assert visitor_of(rf.get("/", HTTP_COOKIE=f"visitor={sign(GOOD.hex)}")) == GOOD
    for kind, value in NOT_OURS.items():
        assert visitor_of(rf.get("/", HTTP_COOKIE=f"visitor={value}")) is None, kind


@pytest.mark.parametrize("kind", ["emoji", "oversized", "quotes", "another id"])
def test_a_browser_with_such_a_cookie_is_a_new_visitor_and_no_error(tool: Tool, kind: str):
    owner, client = Client(), Client()
    set_visitor_cookie(owner, GOOD)
    vote(owner, tool)
    client.cookies["visitor"] = NOT_OURS[kind]
    for path in ("/me/", "/bookmarks/", vote_url(tool)):
        response = client.get(path)
        assert response.status_code == 200, path
        assert b'aria-pressed="true"' not in response.content, path
    cookie = vote(client, tool, "skip")
    assert cookie is not None
    assert visitors() == [GOOD, UUID(hex=cookie.value.split(":")[0])]
    assert vote(client, tool, "skip") is not None
    assert [vote.choice for vote in Vote.objects.order_by("pk")] == ["ship", "skip"]


def test_a_change_of_the_secret_key_with_fallbacks_keeps_the_visitor(
    client: Client, tool: Tool, settings
):
    first = vote(client, tool)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key for the site, long enough to be one"
    assert b'value="ship" aria-pressed="true"' in client.get(vote_url(tool)).content
    second = vote(client, tool, "skip")
    assert len(visitors()) == 1
    assert first is not None
    assert second is not None
    assert first.value != second.value  # signed with the new key
    settings.SECRET_KEY_FALLBACKS = []
    assert b'value="skip" aria-pressed="true"' in client.get(vote_url(tool)).content


def test_a_change_of_the_secret_key_without_fallbacks_is_a_new_visitor(
    client: Client, tool: Tool, settings
):
    vote(client, tool)
    settings.SECRET_KEY = "another key for the site, long enough to be one"
    vote(client, tool)
    assert len(set(visitors())) == 2
