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


def test_the_first_vote_sets_the_cookie_which_scripts_cannot_read(tool: Tool):
    cookie = vote(Client(), tool)
    assert cookie is not None
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == "/"
    assert cookie["domain"] == ""
    assert cookie["secure"] == ""  # over plain http a browser would not send it back
    assert cookie["max-age"] == LIFETIME <= 400 * 24 * 3600


def test_the_second_cookie_can_be_read_by_scripts_and_has_no_id(client: Client, tool: Tool):
    response = client.post(vote_url(tool), {"choice": "ship"})
    cookie = response.cookies["marks"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("1", "", "Lax")
    assert (cookie["path"], cookie["domain"], cookie["max-age"]) == ("/", "", LIFETIME)


@pytest.mark.parametrize("before", ["", " ", "a=b; "])
@pytest.mark.parametrize("space", ["\u2000", "\u3000", "\x0b", "\x85", "\xa0"])
def test_only_a_cookie_of_exactly_the_name_counts(
    rf: RequestFactory, settings, before: str, space: str
):
    settings.SECURE_SITE = True
    value = sign(uuid4().hex)
    for name, counts in (("__Host-visitor", True), (f"{space}__Host-visitor", False)):
        header = f"{before}{name}={value}".encode().decode("latin-1")
        assert (visitor_of(rf.get("/", HTTP_COOKIE=header)) is not None) == counts


def test_the_first_bookmark_sets_the_cookie(client: Client, tool: Tool):
    response = client.post("/tools/a/bookmark/", {"saved": "yes"})
    assert response.cookies["visitor"]["httponly"] is True
    value = response.cookies["visitor"].value
    assert Bookmark.objects.get().visitor == UUID(hex=value.split(":")[0])


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


def test_the_cookie_holds_a_random_id_and_nothing_else(tool: Tool):
    values = [cookie.value for cookie in (vote(Client(), tool), vote(Client(), tool)) if cookie]
    ids = [UUID(hex=value.split(":")[0]) for value in values]
    assert ids == visitors()
    assert {one.version for one in ids} == {4}
    assert all(sign(one.hex) == value for one, value in zip(ids, values, strict=True))


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
BAD = {
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
}


@pytest.mark.parametrize("kind", BAD)
def test_a_forged_or_damaged_cookie_is_a_new_visitor_and_no_error(tool: Tool, kind: str):
    client = Client()
    client.cookies["visitor"] = BAD[kind]
    assert client.get("/me/").status_code == 200
    assert "Nothing is stored" in client.get("/me/").content.decode()
    assert client.get("/bookmarks/").status_code == 200
    cookie = vote(client, tool)
    assert cookie is not None
    assert visitors() == [UUID(hex=cookie.value.split(":")[0])]
    assert GOOD not in visitors()
    assert vote(client, tool, "skip") is not None
    assert len(visitors()) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda good: good[:-1],
        lambda good: good[1:],
        lambda good: good + "x",
        lambda good: good.replace(":", ""),
        lambda good: good[::-1],
        lambda good: ("1" if good[0] == "0" else "0") + good[1:],
        lambda good: Signer(salt="another").sign(GOOD.hex),
        lambda good: Signer(key="another", salt="shipskip.visitor").sign(GOOD.hex),
        lambda good: sign("not an id"),
        lambda good: sign(""),
        lambda good: sign(GOOD.hex + "00"),
    ],
)
def test_a_changed_cookie_does_not_identify_the_visitor(tool: Tool, damage):
    client = Client()
    set_visitor_cookie(client, GOOD)
    assert vote(client, tool) is not None
    assert visitors() == [GOOD]
    other = Client()
    other.cookies["visitor"] = damage(client.cookies["visitor"].value)
    assert b'aria-pressed="true"' not in other.get(vote_url(tool)).content
    assert vote(other, tool, "skip") is not None
    assert Vote.objects.get(visitor=GOOD).choice == "ship"
    assert Vote.objects.count() == 2


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
