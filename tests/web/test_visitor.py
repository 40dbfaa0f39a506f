"""The visitor cookie: set by the first vote or bookmark, not by reading; valid if we signed it."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.signing import Signer
from django.test import Client, RequestFactory

from reviews.models import Vote
from shipskip.web.visitor import LIFETIME, visitor_of
from tests import addresses, factories
from tests.reviews.voters import row_counts, set_visitor_cookie
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def sign(text: str) -> str:
    return Signer(salt="shipskip.visitor").sign(text)


def vote(client: Client, choice: str = "ship", *, secure: bool = False) -> Any:
    return client.post("/tools/a/vote/", {"choice": choice}, secure=secure)


def visitors() -> list[UUID | None]:
    return list(Vote.objects.order_by("pk").values_list("visitor", flat=True))


def test_no_page_makes_a_visitor(client: Client):
    """A public one that sets a cookie is an error: tests/web/test_cache_control.py."""
    addresses.sample_site()
    for path in [*addresses.PRIVATE.values(), "/zzzz/"]:
        own = {"csrftoken"} if path.startswith("/newsletter/") else set()
        assert set(client.get(path).cookies) <= own, path
    before = row_counts()
    for path, sent in (("vote", {"choice": "none"}), ("bookmark", {"saved": "no"})):
        response = client.post(f"/tools/alpha/{path}/", sent)
        assert response.status_code == 303
        assert "visitor" not in response.cookies
    after = row_counts()
    assert after | {"reviews_tooltally": 0} == before | {"reviews_tooltally": 0}


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
            assert cookie["max-age"] == LIFETIME.total_seconds() <= 400 * 24 * 3600, name
        assert cookies["marks"].value == "1"
        values.append(cookies["visitor"].value)
    ids = [UUID(hex=value.split(":")[0]) for value in values]
    assert ids == [Vote.objects.get().visitor, Bookmark.objects.get().visitor]
    assert {one.version for one in ids} == {4}
    assert len(set(ids)) == 2
    assert [sign(one.hex) for one in ids] == values


def test_over_https_the_cookie_is_secure_and_bound_to_the_host(tool: Tool, settings):
    settings.SECURE_SITE = True
    client, who = Client(), uuid4()
    client.cookies["visitor"] = sign(who.hex)  # without the prefix it is ignored
    cookies = vote(client, secure=True).cookies
    assert set(cookies) == {"__Host-visitor", "marks"}
    assert cookies["marks"]["secure"] is True
    cookie = cookies["__Host-visitor"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    vote(client, "skip", secure=True)
    client.post("/tools/a/bookmark/", {"saved": "yes"}, secure=True)
    [visitor] = visitors()  # the same browser stays the same visitor
    assert visitor == Bookmark.objects.get().visitor != who
    cookie = client.post("/me/forget/", secure=True).cookies["__Host-visitor"]
    assert (cookie["max-age"], cookie["secure"], cookie["path"]) == (0, True, "/")


GOOD = UUID("0123456789ab4def8123456789abcdef")
NOT_OURS = {
    "empty": "",
    "unsigned": GOOD.hex,
    "signature of nothing": f"{GOOD.hex}:",
    "forged signature": f"{GOOD.hex}:{'A' * 43}",
    "not a word": "%00%ff",
    "emoji": "🚢:🚢".encode().decode("latin-1"),  # as a server hands its bytes over
    "oversized": "a" * 5_000,
    "quotes": '";Path=/',
    "last character missing": sign(GOOD.hex)[:-1],
    "one character more": sign(GOOD.hex) + "x",
    "another id": f"1{sign(GOOD.hex)[1:]}",
    "signed for another use": Signer(salt="another").sign(GOOD.hex),
    "signed with another key": Signer(key="another", salt="shipskip.visitor").sign(GOOD.hex),
    "no id": sign("not an id"),
    "too long an id": sign(GOOD.hex + "00"),
}


def test_a_forged_damaged_or_misnamed_cookie_identifies_nobody(rf: RequestFactory, settings):
    assert visitor_of(rf.get("/", HTTP_COOKIE=f"visitor={sign(GOOD.hex)}")) == GOOD
    for kind, value in NOT_OURS.items():
        assert visitor_of(rf.get("/", HTTP_COOKIE=f"visitor={value}")) is None, kind
    settings.SECURE_SITE = True
    for before in ("", " ", "a=b; "):
        for space in ("", "\u2000", "\u3000", "\x0b", "\x85", "\xa0"):
            header = f"{before}{space}__Host-visitor={sign(GOOD.hex)}".encode().decode("latin-1")
            visitor = visitor_of(rf.get("/", HTTP_COOKIE=header))
            assert visitor == (None if space else GOOD), (before, space)


def test_a_browser_with_such_a_cookie_is_a_new_visitor_and_no_error(client: Client, tool: Tool):
    owner = Client()
    set_visitor_cookie(owner, GOOD)
    vote(owner)
    expected = [GOOD]
    for kind in ("emoji", "oversized", "quotes", "another id"):
        client.cookies["visitor"] = NOT_OURS[kind]
        for path in ("/me/", "/bookmarks/", "/tools/a/vote/"):
            response = client.get(path)
            assert response.status_code == 200, (kind, path)
            assert b'aria-pressed="true"' not in response.content, (kind, path)
        cookie = vote(client, "skip").cookies["visitor"]
        expected.append(UUID(hex=cookie.value.split(":")[0]))
        assert visitors() == expected, kind
        assert vote(client, "skip").status_code == 303
        assert visitors() == expected, kind
    choices = Vote.objects.order_by("pk").values_list("choice", flat=True)
    assert list(choices) == ["ship", *["skip"] * 4]


def test_a_change_of_the_secret_key_keeps_the_visitor_only_with_fallbacks(
    client: Client, tool: Tool, settings
):
    first = vote(client).cookies["visitor"].value
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key for the site, long enough to be one"
    assert b'value="ship" aria-pressed="true"' in client.get("/tools/a/vote/").content
    second = vote(client, "skip").cookies["visitor"].value
    assert len(visitors()) == 1
    assert first != second  # signed with the new key
    settings.SECRET_KEY_FALLBACKS = []
    assert b'value="skip" aria-pressed="true"' in client.get("/tools/a/vote/").content
    settings.SECRET_KEY = "a third key for the site, long enough to be one as well"
    vote(client)
    assert len(set(visitors())) == 2
