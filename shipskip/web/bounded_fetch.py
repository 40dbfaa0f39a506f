"""Read an address of the web that others chose: bounded in time, in size, and to public addresses.

`http.client` over a socket of our own: the name is resolved once, and the connection goes to the
address that was checked. Proxies of the environment are not read.
"""

import io
import socket
import ssl
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from shipskip.web.network import IPAddress

SECONDS = 20.0
"""For all requests of one look; the name server has its own limit."""
MAX_RAW_BYTES = 3_000_000
"""Of all answers to one look, as they come from the network."""
MAX_BYTES = 2_000_000
"""Of a body, decoded."""
PORTS = (80, 443, 8080, 8443)
TOO_LONG = "it is too long or too slow"
BROKEN_OFF = "its connection broke"
_CHUNK = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_IN_URLS = "%/:?&=+,;@!$'()*~-._[]|"
_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv6 addresses that a network translates to the IPv4 address at their end (RFC 6052)."""
_GLOBAL_UNICAST = ip_network("2000::/3")
"""The IPv6 addresses that IANA gives to machines; the rest is reserved."""
_TUNNELS = (ip_network("2002::/16"), ip_network("2001::/32"), ip_network("3fff::/20"))
"""IPv6 addresses that lead to another address, or nowhere: 6to4, Teredo, documentation."""


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
    cut: str = ""
    """Why the body is not whole: `TOO_LONG` or `BROKEN_OFF`; else empty."""


@dataclass
class Budget:
    """What one look may still use, over all its requests and redirects."""

    end: float
    """Of `monotonic`."""
    raw_bytes: int


def is_public(address: IPAddress) -> bool:
    """Whether an address is globally routable, also behind a mapping or translation."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return is_public(ip_address(int(address) & 0xFFFF_FFFF))
        if address not in _GLOBAL_UNICAST or any(address in tunnel for tunnel in _TUNNELS):
            return False
    return address.is_global and not address.is_multicast


def is_own(address: IPAddress) -> bool:
    """Whether this machine has the address: no socket can be bound to that of another one, unless
    the kernel's `ip_nonlocal_bind` is set.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as unused:
            unused.bind((str(address), 0))
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class Client:
    """Asks public addresses of other machines, and those of `networks`."""

    user_agent: str
    networks: Sequence[IPv4Network | IPv6Network] = ()
    seconds: float = SECONDS
    max_bytes: int = MAX_BYTES
    raw_bytes: int = MAX_RAW_BYTES

    def budget(self) -> Budget:
        """What a look that begins now may use."""
        return Budget(monotonic() + self.seconds, self.raw_bytes)

    def get(self, url: str, budget: Budget, max_bytes: int | None = None) -> Response:
        """What the address answers; redirects are not followed. Raises UnreachableError."""
        try:
            return self._get(url, budget, max_bytes or self.max_bytes)
        except UnreachableError:
            raise
        except (OSError, HTTPException, ValueError, zlib.error) as error:
            if budget.raw_bytes <= 0:
                raise UnreachableError("sent more than is read") from None
            if monotonic() >= budget.end or isinstance(error, TimeoutError):
                raise UnreachableError(f"did not answer within {self.seconds:g} seconds") from None
            if isinstance(error, ssl.SSLError):
                raise UnreachableError("its certificate or encryption is faulty") from None
            if isinstance(error, ConnectionRefusedError):
                raise UnreachableError("refused the connection") from None
            if isinstance(error, zlib.error):
                raise UnreachableError("sent what cannot be decoded") from None
            raise UnreachableError("did not answer as the web does") from None

    def _get(self, url: str, budget: Budget, max_bytes: int) -> Response:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UnreachableError("is no address of the web")
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if port not in PORTS:
            raise UnreachableError("its port is none of the web's")
        # With a port, http.client does not look for one in an IPv6 address.
        connection = HTTPConnection(parts.hostname, port)
        opened = self._connect(parts, port, budget)
        connection.sock = _MeteredSocket(opened, budget)
        cut = Timer(max(0.0, budget.end - monotonic()), _cut, [opened])
        cut.daemon = True
        cut.start()
        try:
            if isinstance(opened, ssl.SSLSocket):
                opened.do_handshake()
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
                return self._response(url, response, budget, max_bytes)
        finally:
            cut.cancel()
            opened.close()

    def _connect(self, parts: SplitResult, port: int, budget: Budget) -> socket.socket:
        """A socket to the first address of the host that may be asked and answers."""
        host = str(parts.hostname)
        if monotonic() >= budget.end:
            raise TimeoutError
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)):
                raise UnknownHostError("no name server knows its host") from None
            raise UnreachableError("the name server did not answer") from None
        allowed = [each for each in found if self._may_ask(str(each[4][0]))]
        if not allowed:
            raise UnreachableError("its host is not at a public address of another machine")
        for at, (family, kind, protocol, _, address) in enumerate(allowed, 1):
            opened = socket.socket(family, kind, protocol)
            try:
                opened.settimeout(max(0.1, (budget.end - monotonic()) / (len(allowed) - at + 1)))
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
        address = getattr(address, "ipv4_mapped", None) or address
        if any(address in network for network in self.networks):
            return True
        return is_public(address) and not is_own(address)

    def _response(
        self, url: str, response: HTTPResponse, budget: Budget, max_bytes: int
    ) -> Response:
        location = response.headers.get("Location", "")
        redirect = ""
        if response.status in _REDIRECTS and location:
            redirect = urljoin(url, location)
        kind = response.headers.get_content_type() if response.headers.get("Content-Type") else ""
        charset = response.headers.get_content_charset() or ""
        if redirect:
            return Response(response.status, redirect, kind, charset, b"")
        body, cut = _body(response, budget, max_bytes)
        return Response(response.status, "", kind, charset, body, cut)


class _MeteredSocket:
    """What `http.client` needs of a socket; what it reads is taken from a budget."""

    def __init__(self, opened: socket.socket, budget: Budget) -> None:
        self._opened, self._budget = opened, budget
        self.sendall = opened.sendall

    def close(self) -> None:
        """Leave the socket open, whose answer may still be read; `_get` closes it."""

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The file from which `http.client` reads the answer."""
        return io.BufferedReader(_MeteredFile(self._opened, self._budget))


class _MeteredFile(io.RawIOBase):
    def __init__(self, opened: socket.socket, budget: Budget) -> None:
        self._opened, self._budget = opened, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        if self._budget.raw_bytes <= 0:
            raise OSError("the budget is used up")
        read = self._opened.recv_into(buffer, min(len(buffer), self._budget.raw_bytes))
        self._budget.raw_bytes -= read
        return read


def _body(response: HTTPResponse, budget: Budget, max_bytes: int) -> tuple[bytes, str]:
    """The decoded body up to the limits, and why it is not whole; each piece is decoded only as
    far as there is room for it.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise UnreachableError("sent an encoding that was not asked for")
    unzip = None if encoding in ("", "identity") else zlib.decompressobj(wbits=47)
    body, is_broken = bytearray(), False
    try:
        while (room := max_bytes - len(body)) > 0:
            piece = response.read1(_CHUNK)
            if not piece:
                break
            body += unzip.decompress(piece, room) if unzip else piece[:room]
        else:
            return bytes(body), TOO_LONG
    except (OSError, HTTPException):
        if not body:
            raise
        is_broken = True
    if budget.raw_bytes <= 0 or monotonic() >= budget.end:
        return bytes(body), TOO_LONG
    is_broken = is_broken or bool(response.length) or bool(unzip and body and not unzip.eof)
    return bytes(body), BROKEN_OFF if is_broken else ""


def _cut(connection: socket.socket) -> None:
    """End a connection from another thread, whatever it waits for."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
