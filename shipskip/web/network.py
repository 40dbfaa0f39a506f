"""The client address of a request and its network. Nothing here is stored."""

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

IPAddress = IPv4Address | IPv6Address
V4_PREFIX, V6_PREFIX = 24, 48
WIDE_V4_PREFIX, WIDE_V6_PREFIX = 16, 32
UNKNOWN_NETWORK = "unknown"


def _parse(text: str) -> IPAddress | None:
    """Parse an address; IPv4-mapped and 6to4 (2002::/16) addresses become the IPv4 address in
    them. None if it is not an address.
    """
    try:
        address = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address.sixtofour or address
    return address


@lru_cache(maxsize=64)
def _proxies(text: str) -> IPv4Network | IPv6Network:
    """The network of one of TRUSTED_PROXIES, cached because parsing it is the slowest step here."""
    return ip_network(text, strict=False)


def _trusted(address: IPAddress) -> bool:
    return any(address in _proxies(proxy) for proxy in settings.TRUSTED_PROXIES)


def client_address(request: HttpRequest) -> IPAddress | None:
    """The client's address: REMOTE_ADDR, or behind TRUSTED_PROXIES the one in X-Forwarded-For.

    `X-Forwarded-For` is read from the right, as long as a trusted proxy added the entry; entries
    that the client sent are never used. None when there is no valid address.
    """
    address = _parse(request.META.get("REMOTE_ADDR", ""))
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-20:]
    while address and hops and _trusted(address):
        nearer = _parse(hops.pop())
        if nearer is None:
            break
        address = nearer
    return address


def complete_address(request: HttpRequest) -> None:
    """Set REMOTE_ADDR to 127.0.0.1 for a request through a Unix socket, which has no address."""
    request.META["REMOTE_ADDR"] = request.META.get("REMOTE_ADDR") or "127.0.0.1"


def trust_own_proxies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: drop X-Forwarded-Proto and X-Request-ID unless one of TRUSTED_PROXIES sent
    them, and complete the address.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        complete_address(request)
        sender = _parse(request.META.get("REMOTE_ADDR", ""))
        if sender is None or not _trusted(sender):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
            request.META.pop("HTTP_X_REQUEST_ID", None)
        return get_response(request)

    return middleware


def network_of(address: IPAddress | None) -> str:
    """The network of an address: IPv4 /24, IPv6 /48; `unknown` without an address.

    Many have a whole /48 of IPv6, so a limit by /64 would be none for them.
    """
    if address is None:
        return UNKNOWN_NETWORK
    prefix = V4_PREFIX if address.version == 4 else V6_PREFIX
    return str(ip_network((address, prefix), strict=False))


def wide_network_of(network: str) -> str:
    """The IPv4 /16 or IPv6 /32 around what `network_of` returned; `unknown` stays as it is."""
    if network == UNKNOWN_NETWORK:
        return network
    near = ip_network(network)
    prefix = WIDE_V4_PREFIX if near.version == 4 else WIDE_V6_PREFIX
    return str(near.supernet(new_prefix=prefix))


def address_hash(text: str, key: bytes) -> str:
    """A network or an address as an HMAC-SHA-256 (hex); irreversible without the key."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
