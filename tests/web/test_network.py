"""The client of a request: its IP address, its network, and the hash that is stored."""

import pytest
from django.test import RequestFactory

from shipskip.web.network import (
    address_hash,
    client_address,
    network_of,
    trust_own_proxies,
    wide_network_of,
)


def address(remote: str, forwarded: str | None = None) -> str:
    """The IP address that the site uses for the client of a request."""
    headers = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    request = RequestFactory().get("/", REMOTE_ADDR=remote, **headers)  # type: ignore[arg-type]
    return str(client_address(request))


@pytest.mark.parametrize(
    ("remote", "network"),
    [
        ("192.0.2.0", "192.0.2.0/24"),
        ("192.0.2.255", "192.0.2.0/24"),
        ("2001:db8:1::", "2001:db8:1::/48"),
        ("2001:db8:1:ffff:ffff:ffff:ffff:ffff", "2001:db8:1::/48"),
        ("2001:DB8:0001:0::1", "2001:db8:1::/48"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("2002:c000:24d:1::1", "192.0.2.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
    ],
)
def test_a_network_is_24_bits_of_ipv4_and_48_of_ipv6(remote: str, network: str):
    request = RequestFactory().get("/", REMOTE_ADDR=remote)
    assert network_of(client_address(request)) == network


def test_a_wide_network_is_16_bits_of_ipv4_and_32_of_ipv6():
    assert wide_network_of("192.0.2.0/24") == "192.0.0.0/16"
    assert wide_network_of("2001:db8:1::/48") == "2001:db8::/32"
    assert wide_network_of("unknown") == "unknown"


@pytest.mark.parametrize(
    "junk", ["", " ", "unknown", "192.0.2", "192.0.2.256", "192.0.2.1:80", "::g", "x" * 9_999, "é"]
)
def test_without_a_valid_address_the_network_is_unknown(junk: str):
    assert address(junk) == "None"
    assert network_of(None) == "unknown"


@pytest.mark.parametrize(
    ("forwarded", "found"),
    [
        (" 198.51.100.9 ", "198.51.100.9"),
        ("::ffff:198.51.100.9", "198.51.100.9"),
        ("10.9.9.9, 198.51.100.9, 10.1.1.1, 10.1.1.2", "198.51.100.9"),
        ("junk, 198.51.100.9", "198.51.100.9"),
        ("198.51.100.9, junk", "10.0.0.1"),
        ("198.51.100.9,", "10.0.0.1"),
        ("", "10.0.0.1"),
        (None, "10.0.0.1"),
        ("10.1.1.1, 10.1.1.2", "10.1.1.1"),
        ("198.51.100.9, " * 5_000 + "10.1.1.1", "198.51.100.9"),
    ],
)
def test_behind_our_proxies_the_header_is_read_from_the_right_up_to_the_first_other_address(
    forwarded: str | None, found: str, settings
):
    assert address("192.0.2.1", forwarded) == "192.0.2.1"  # no proxy is trusted
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    assert address("10.0.0.1", forwarded) == found
    for unknown in ("192.0.2.1", "11.0.0.1"):
        assert address(unknown, forwarded) == unknown


@pytest.mark.parametrize("remote", ["10.0.0.1", "::ffff:10.0.0.1", "2001:db8::5", "10.0.1.7"])
def test_proxies_are_addresses_or_networks_of_either_kind(remote: str, settings):
    settings.TRUSTED_PROXIES = ["10.0.0.1", "2001:db8::/32", "10.0.1.77/24"]
    assert address(remote, "198.51.100.9") == "198.51.100.9"


def test_a_forwarded_protocol_from_an_unknown_proxy_is_ignored(rf, settings):
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    seen = []
    middleware = trust_own_proxies(lambda request: seen.append(request.is_secure()))
    for address in ("10.1.2.3", "192.0.2.1", ""):
        middleware(rf.get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_PROTO="https"))
    assert seen == [True, False, False]


def test_the_hash_is_an_hmac_sha_256():
    # RFC 4231, test case 2.
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert address_hash("what do ya want for nothing?", b"Jefe") == expected
