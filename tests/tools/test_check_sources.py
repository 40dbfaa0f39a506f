"""`check_sources`: what it says of pages of every kind, and what it leaves alone."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import Any

import pytest
from django.core.management import call_command

from shipskip.jobs.memory import memory_limit
from shipskip.jobs.models import JobRun
from shipskip.web import bounded_fetch
from shipskip.web.bounded_fetch import Client, is_own, is_public
from tests import factories as make
from tests.tools.pages_server import PORT, QUOTE, ROBOTS, pages
from tools.models import Fact, Outcome, SourceCheck
from tools.robots_txt import rules_for
from tools.source_checking import Look, Looking, quotes_by_source, store

LOOPBACK = [ip_network("127.0.0.0/8")]
NOW = datetime(2026, 11, 3, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with pages() as running:
        yield running


def looking(**fields: Any) -> Looking:
    values = {"networks": LOOPBACK, "seconds": 60.0, "max_bytes": 300_000} | fields
    return Looking(Client("ShipOrSkip/1.0", **values), monotonic() + 60, pause=0.0)


NOT_WHOLE = "read in part: it is too long or too slow"
BROKEN_OFF = "read in part: its connection broke"
NOT_PUBLIC = "its host is not at a public address of another machine"
PAGES = [
    ("there/ forbidden/from/there huge/ chain/ charset/ labelled/ zipped/ markdown/", "there", ""),
    ("other/", "missing", ""),
    ("status/404", "gone", "answered 404"),
    ("status/410", "gone", "answered 410"),
    ("status/401", "blocked", "answered 401"),
    ("status/403", "blocked", "answered 403"),
    ("status/429", "blocked", "answered 429"),
    ("status/500", "unreached", "answered 500"),
    ("forbidden/from/here", "blocked", "robots.txt"),
    ("endless/ bomb/", "page", NOT_WHOLE),
    ("cut/ chunks/ halfzip/", "unreached", BROKEN_OFF),
    ("metadata/", "unreached", NOT_PUBLIC),
    ("port/", "unreached", "its port is none of the web's"),
    ("file/", "unreached", "is no address of the web"),
    ("itself/", "unreached", "redirects in a circle"),
    ("far/", "unreached", "redirects more than 5 times"),
    ("brotli/", "unreached", "sent an encoding that was not asked for"),
    ("broken/", "unreached", "sent what cannot be decoded"),
    ("pdf/", "page", "not a text: its words cannot be compared"),
    ("garbage/", "unreached", "did not answer as the web does"),
]


@pytest.mark.parametrize(("paths", "outcome", "detail"), PAGES, ids=[paths for paths, *_ in PAGES])
def test_a_page_of_each_kind_has_its_outcome(server, paths, outcome, detail):
    for path in paths.split():
        look = looking().look(f"{server.url}/{path}")
        assert look.outcome_of(QUOTE) == (outcome, detail), path
        assert len(look.text or "") <= 300_000
    assert "/forbidden/from/here" not in server.paths


@pytest.mark.parametrize("path", ["/slow/", "/silent/", "/headers/"])
def test_a_page_that_does_not_end_is_left_at_its_time(server, path):
    found = looking(seconds=0.2).look(f"{server.url}{path}").outcome_of(QUOTE)
    late = (Outcome.UNREACHED, "did not answer within 0.2 seconds")
    assert found == late or (found == (Outcome.PAGE, NOT_WHOLE) and path == "/slow/")


@pytest.mark.parametrize(
    ("source", "outcome", "detail"),
    [
        ("https://nowhere.invalid/", Outcome.GONE, "no name server knows its host"),
        ("http://127.99.0.1:8443/", Outcome.UNREACHED, "refused the connection"),
        ("http://[::1", Outcome.UNREACHED, "is no address of the web"),
        (f"http://{'a' * 70}.example/", Outcome.UNREACHED, "did not answer as the web does"),
    ],
)
def test_an_address_without_an_answer_says_why(source, outcome, detail):
    assert looking().look(source).outcome_of(QUOTE) == (outcome, detail)


def test_the_next_address_of_a_host_is_asked_when_one_does_not_answer(server, monkeypatch):
    addresses = [("127.0.0.1", 1), server.server_address]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", address) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    for host in ("two.example", "[2a00:1450::1]", "[2a00:1450::abcd]:8080"):
        look = looking().look(f"http://{host}/there/")
        assert look.outcome_of(QUOTE) == (Outcome.THERE, ""), host


PRIVATE = """
127.0.0.1 10.1.2.3 169.254.169.254 0.1.2.3 100.64.0.1 224.0.0.1 255.255.255.255
::1 :: fe80::1 fc00::1 fec0::1 ff02::1 2001:db8::1 2001::1
::127.0.0.1 3fff::1 5f00::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::a9fe:a9fe 2002:7f00:1::
""".split()
PUBLIC = ["9.9.9.9", "::ffff:9.9.9.9", "64:ff9b::909:909", "2a00:1450::1"]


def test_nothing_but_public_addresses_is_asked_unless_a_setting_says_so(server, monkeypatch):
    assert [text for text in PRIVATE + PUBLIC if is_public(ip_address(text))] == PUBLIC
    monkeypatch.setenv("http_proxy", server.url)
    asked = len(server.paths)
    for url in (server.url, f"http://localhost:{PORT}"):
        look = looking(networks=[]).look(f"{url}/there/")
        assert (look.outcome, look.detail) == (Outcome.UNREACHED, NOT_PUBLIC)
    own = ip_address(server.server_address[0])
    assert [is_own(own), is_own(ip_address("9.9.9.9")), is_own(ip_address(PUBLIC[-1]))] == [
        True,
        False,
        False,
    ]
    monkeypatch.setattr(bounded_fetch, "is_public", lambda _: True)
    assert looking(networks=[]).look(f"{server.url}/there/").detail == NOT_PUBLIC
    assert len(server.paths) == asked


@pytest.mark.parametrize(
    ("path", "limits", "detail"),
    [
        ("/late/", {"seconds": 0.5}, "did not answer within 0.5 seconds"),
        ("/there/", {"raw_bytes": 300}, "sent more than is read"),
        ("/huge/", {"raw_bytes": 9_000}, NOT_WHOLE),
    ],
)
def test_all_requests_of_a_look_share_one_time_and_one_number_of_bytes(
    server, path, limits, detail
):
    assert looking(**limits).look(server.url + path).outcome_of("nowhere")[1] == detail


def test_a_look_makes_so_many_requests(server, monkeypatch):
    monkeypatch.setattr("tools.source_checking.MAX_REQUESTS", 3)
    assert looking().look(f"{server.url}/chain/").detail == "needs more than 3 requests"


def test_the_next_look_at_a_host_waits_until_the_last_one_is_stored(server):
    server.paths.clear()
    looks = looking().looks([f"{server.url}/there/", f"{server.url}/other/"])
    next(looks)
    assert server.paths == ["/robots.txt", "/there/"]
    assert len([*looks]) == 1


ALL = "User-agent: *\nDisallow: /a\n"
OURS = "User-agent: shiporskip/1.0\nDisallow: /b # all of it\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (ALL, "Disallow: /a"),
        (ALL + OURS, "Disallow: /b"),
        (OURS + ALL + OURS.replace("/b", "/c"), "Disallow: /b Disallow: /c"),
        ("User-agent: other\n" + ALL, "Disallow: /a"),
        (ALL + "\nUser-agent: other\nDisallow: /\n", "Disallow: /a"),
        (ALL + "User-agent: ShipOrSkip\nAllow: /x\ncrawl-delay: 3", "Allow: /x Crawl-delay: 3"),
        ("Disallow: /\nSitemap: x\nUser-agent: *\nSitemap: y\nAllow: /", "Allow: /"),
        ("User-agent: *\nUser-agent: *\nDisallow: /a", "Disallow: /a"),
        ("User-agent: ShipOrSkipper\nDisallow: /", ""),
        ("", ""),
    ],
)
def test_only_the_group_for_us_is_parsed(text, rules):
    head, _, rest = rules_for("ShipOrSkip", text).partition("\n")
    assert rest.replace("\n", " ") == rules
    assert head == ("User-agent: ShipOrSkip" if rules else "")


def test_500_kib_of_a_robots_txt_are_read(server):
    comment = "#" * 510 + "\n"
    try:
        server.robots = ROBOTS + comment * 1_010 + "Disallow: /there/\n"
        assert looking().look(f"{server.url}/there/").outcome is Outcome.PAGE
        server.robots = ROBOTS + comment * 900 + "Disallow: /there/\n"
        assert looking().look(f"{server.url}/there/").detail == "robots.txt"
    finally:
        server.robots = ROBOTS


def test_what_needs_more_memory_than_a_job_may_have_fails():
    with memory_limit(64 * 2**20), pytest.raises(MemoryError):
        bytearray(128 * 2**20)
    assert len(bytearray(128 * 2**20)) == 128 * 2**20


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_command_looks_at_the_least_recent_first_and_changes_no_fact(server, settings):
    settings.PRIVATE_SOURCES = LOOPBACK
    tool, gone = make.tool(), make.tool(deleted_at=NOW)
    there, moved, once = (f"{server.url}/{path}/" for path in ("there", "chain", "other"))
    row = make.attribute()
    make.fact(Decimal(1), on=tool, to=row, source=there, quote=QUOTE)
    make.fact(Decimal(1), on=tool, to=make.attribute(), source=there, quote="Another price")
    make.fact(Decimal(1), on=tool, to=make.attribute(), source=moved)
    make.plan(on=tool, source=once, quote=QUOTE)
    make.fact(Decimal(1), on=gone, to=row, source=f"{server.url}/pdf/")
    store(Look(there, Outcome.UNREACHED, "answered 500"), [QUOTE], NOW)
    store(Look(moved, Outcome.PAGE, text=""), [""], NOW - timedelta(days=1))
    store(Look("https://old.example/", Outcome.PAGE, text=QUOTE), [QUOTE], NOW)
    assert [*quotes_by_source()] == [once, there, moved], "never looked for, then the oldest look"
    server.paths.clear()
    before = list(Fact.objects.order_by("pk").values())
    out = StringIO()
    call_command("check_sources", pause=0.0, stdout=out)
    assert out.getvalue().splitlines() == [
        f"The quote is gone  {once}",
        f"The quote is gone  {there}",
        f"The quote is there  {there}",
        f"The page is there  {moved}",
        "3 sources asked. The quote is there: 1. The quote is gone: 2. The page is there: 1.",
    ]
    asked = ["/robots.txt", "/other/", "/there/", "/chain/", "/moved-again/", "/there/"]
    assert server.paths == asked
    assert list(Fact.objects.order_by("pk").values()) == before
    assert SourceCheck.objects.count() == 4, "that of no row is deleted"
    check = SourceCheck.objects.get(source=there, quote=QUOTE)
    assert (check.outcome, check.there_at) == (Outcome.THERE, check.checked_at)
    assert JobRun.objects.get(job="sources").failure == ""


@pytest.mark.django_db
def test_a_run_ends_at_its_time_and_leaves_a_host_that_fails_alone(server, settings):
    settings.PRIVATE_SOURCES = LOOPBACK
    tool = make.tool()
    for at in range(5):
        source = f"{server.url}/status/500?{at}"
        make.fact(Decimal(1), on=tool, to=make.attribute(), source=source)
    out = StringIO()
    call_command("check_sources", minutes=0.0, stdout=out)
    assert out.getvalue() == "0 sources asked; 5 were left for the next run.\n"
    call_command("check_sources", pause=0.0, verbosity=0, stdout=out)
    assert out.getvalue().splitlines()[1:] == [
        "3 sources asked; 2 were left for the next run. The page could not be reached: 3."
    ]


def test_a_later_look_keeps_the_day_on_which_the_quote_was_there():
    check = SourceCheck(outcome=Outcome.MISSING, checked_at=NOW, there_at=NOW)
    assert check.words == "The quote is gone (3 November 2026; last there on 3 November 2026)"
