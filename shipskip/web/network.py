"""Where a request comes from: its address, and the network around it. Nothing here is stored."""

import hashlib
import hmac
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Address = IPv4Address | IPv6Address
V4_PREFIX, V6_PREFIX = 24, 48


def _parse(text: str) -> Address | None:
    """An address from text, with IPv4 in IPv6 clothes undressed; None if it is none."""
    try:
        address = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _trusted(address: Address) -> bool:
    return any(address in ip_network(proxy, strict=False) for proxy in settings.TRUSTED_PROXIES)


def client_address(request: HttpRequest) -> Address | None:
    """Who asks: REMOTE_ADDR, or what TRUSTED_PROXIES say they forward for.

    `X-Forwarded-For` is read from the right, as long as the one who wrote an entry is trusted;
    what a client writes there itself is never believed. None when there is no valid address.
    """
    address = _parse(request.META.get("REMOTE_ADDR", ""))
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-20:]
    while address and hops and _trusted(address):
        nearer = _parse(hops.pop())
        if nearer is None:
            break
        address = nearer
    return address


def believe_own_proxies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: the headers of TRUSTED_PROXIES are believed, those of others are dropped.

    A request through a Unix socket has no address; it comes from this machine.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request.META["REMOTE_ADDR"] = request.META.get("REMOTE_ADDR") or "127.0.0.1"
        sender = _parse(request.META.get("REMOTE_ADDR", ""))
        if sender is None or not _trusted(sender):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
            request.META.pop("HTTP_X_REQUEST_ID", None)
        return get_response(request)

    return middleware


def client_address_text(request: HttpRequest) -> str:
    """The address as text, for those who compare it; empty without one."""
    return str(client_address(request) or "")


def network_of(address: Address | None) -> str:
    """The network an address stands in: IPv4 /24, IPv6 /48; `unknown` without an address."""
    if address is None:
        return "unknown"
    prefix = V4_PREFIX if address.version == 4 else V6_PREFIX
    return str(ip_network((address, prefix), strict=False))


def address_hash(text: str, key: bytes) -> str:
    """A network or an address as an HMAC-SHA-256 (hex): nobody reads it back without the key."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
