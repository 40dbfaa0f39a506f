"""Read an address of the web that others chose: bounded in time, in size, and to public addresses.

`http.client` over a socket of our own: the name is resolved once, and the connection goes to the
address that was checked. Proxies of the environment are not read.
"""

import socket
import ssl
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from shipskip.web.network import IPAddress

SECONDS = 20.0
"""From the connection to the last byte; the name server has its own limit."""
MAX_BYTES = 2_000_000
"""Of a body, decoded."""
_CHUNK = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_IN_URLS = "%/:?&=+,;@!$'()*~-._[]|"
_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv6 addresses that a network translates to the IPv4 address at their end (RFC 6052)."""
_TUNNELS = (ip_network("2002::/16"), ip_network("2001::/32"), ip_network("64:ff9b:1::/48"))
"""IPv6 addresses that lead to another address: 6to4, Teredo, NAT64 of a site."""


class UnreachableError(Exception):
    """A sentence that says why an address could not be read; nothing of the page is in it."""


class UnknownHostError(UnreachableError):
    """No name server knows the host."""


@dataclass(frozen=True)
class Response:
    """What an address answered."""

    status: int
    redirect: str
    """The whole address of a redirect; else empty."""
    content_type: str
    """In lower case, without parameters."""
    charset: str
    body: bytes
    is_whole: bool
    """Whether the body ended before the limits of time and size."""


def is_public(address: IPAddress) -> bool:
    """Whether an address is globally routable, also behind a mapping or translation."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return is_public(ip_address(int(address) & 0xFFFF_FFFF))
        if address.is_site_local or any(address in tunnel for tunnel in _TUNNELS):
            return False
    return address.is_global and not address.is_multicast


@dataclass(frozen=True)
class Client:
    """Asks public addresses, and those of `networks`."""

    user_agent: str
    networks: Sequence[IPv4Network | IPv6Network] = ()
    seconds: float = SECONDS
    max_bytes: int = MAX_BYTES

    def get(self, url: str) -> Response:
        """What the address answers; redirects are not followed. Raises UnreachableError."""
        end = monotonic() + self.seconds
        try:
            parts = urlsplit(url)
            return self._get(url, parts, end)
        except UnreachableError:
            raise
        except (OSError, HTTPException, ValueError, zlib.error) as error:
            if monotonic() >= end or isinstance(error, TimeoutError):
                raise UnreachableError(f"did not answer within {self.seconds:g} seconds") from None
            if isinstance(error, ssl.SSLError):
                raise UnreachableError("its certificate or encryption is faulty") from None
            if isinstance(error, ConnectionRefusedError):
                raise UnreachableError("refused the connection") from None
            if isinstance(error, zlib.error):
                raise UnreachableError("sent what cannot be decoded") from None
            raise UnreachableError("did not answer as the web does") from None

    def _get(self, url: str, parts: SplitResult, end: float) -> Response:
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UnreachableError("is no address of the web")
        connection = HTTPConnection(parts.hostname)
        connection.sock = self._connect(parts, end)
        cut = Timer(max(0.0, end - monotonic()), _cut, [connection.sock])
        cut.daemon = True
        cut.start()
        try:
            if isinstance(connection.sock, ssl.SSLSocket):
                connection.sock.do_handshake()
            path = quote(parts.path, safe=_IN_URLS) or "/"
            query = f"?{quote(parts.query, safe=_IN_URLS)}" if parts.query else ""
            headers = {
                "Host": parts.netloc.rpartition("@")[2].encode("idna").decode(),
                "User-Agent": self.user_agent,
                "Accept": "text/html, text/plain;q=0.9, */*;q=0.1",
                "Accept-Encoding": "gzip",
                "Connection": "close",
            }
            connection.request("GET", f"{path}{query}", headers=headers)
            with connection.getresponse() as response:
                return self._response(url, response, end)
        finally:
            cut.cancel()
            connection.close()

    def _connect(self, parts: SplitResult, end: float) -> socket.socket:
        """A socket to the first address of the host that may be asked and answers."""
        host, port = str(parts.hostname), parts.port or (443 if parts.scheme == "https" else 80)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)):
                raise UnknownHostError("no name server knows its host") from None
            raise UnreachableError("the name server did not answer") from None
        allowed = [each for each in found if self._may_ask(str(each[4][0]))]
        if not allowed:
            raise UnreachableError("its host is not at a public address")
        for at, (family, kind, protocol, _, address) in enumerate(allowed, 1):
            opened = socket.socket(family, kind, protocol)
            try:
                opened.settimeout(max(0.1, (end - monotonic()) / (len(allowed) - at + 1)))
                opened.connect(address)
                opened.settimeout(self.seconds)
                if parts.scheme == "http":
                    return opened
                context = ssl.create_default_context()
                return context.wrap_socket(
                    opened, server_hostname=host, do_handshake_on_connect=False
                )
            except BaseException as error:
                opened.close()
                if not isinstance(error, OSError) or at == len(allowed):
                    raise
        raise AssertionError("unreachable")

    def _may_ask(self, text: str) -> bool:
        address = ip_address(text.partition("%")[0])
        mapped = getattr(address, "ipv4_mapped", None) or address
        return is_public(address) or any(mapped in network for network in self.networks)

    def _response(self, url: str, response: HTTPResponse, end: float) -> Response:
        location = response.headers.get("Location", "")
        redirect = ""
        if response.status in _REDIRECTS and location:
            redirect = urljoin(url, location)
        kind = response.headers.get_content_type() if response.headers.get("Content-Type") else ""
        charset = response.headers.get_content_charset() or ""
        if redirect:
            return Response(response.status, redirect, kind, charset, b"", is_whole=True)
        body, is_whole = self._body(response, end)
        return Response(response.status, "", kind, charset, body, is_whole)

    def _body(self, response: HTTPResponse, end: float) -> tuple[bytes, bool]:
        """The decoded body up to the limits, and whether it was all; each piece is decoded only as
        far as there is room for it.
        """
        decode = _decoder(response.headers.get("Content-Encoding", "").strip().lower())
        body = bytearray()
        try:
            while (room := self.max_bytes - len(body)) > 0:
                piece = response.read1(_CHUNK)
                if not piece:
                    return bytes(body), monotonic() < end
                body += decode(piece, room)[:room]
        except (OSError, HTTPException):
            if not body:
                raise
        return bytes(body), False


def _decoder(encoding: str) -> Callable[[bytes, int], bytes]:
    """A function that decodes a piece of a body to at most so many bytes."""
    if encoding in ("", "identity"):
        return lambda piece, room: piece[:room]
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(wbits=47).decompress
    raise UnreachableError("sent an encoding that was not asked for")


def _cut(connection: socket.socket) -> None:
    """End a connection from another thread, whatever it waits for."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
