"""The Model Context Protocol (MCP): what stands between a message and its answer.

HTTP and stdio share it. In revision 2026-07-28 each request is complete in itself (`_meta`); the
earlier ones begin with a handshake (`initialize`). Neither needs a session: every answer depends on
its request and on the public content alone.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from django.http import Http404
from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from shipskip import __version__
from shipskip.catalogue.sentences import first_fault
from shipskip.content.content import Content
from shipskip.programs import agent_tools
from shipskip.web.feeds import SITE_NAME
from shipskip.web.twins import MEDIA_TYPES

T = TypeVar("T", bound=BaseModel)

STATELESS_VERSION = "2026-07-28"
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2024-11-05")
"""The newest first; without 2025-03-26, whose servers must take batches."""
VERSIONS = (STATELESS_VERSION, *HANDSHAKE_VERSIONS)

MAX_BODY = 64 * 1024
"""Maximum bytes of a message."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
STATUSES = {METHOD_NOT_FOUND: 404}
"""HTTP statuses of errors by their code; all others are 400."""

_META = "io.modelcontextprotocol/"
_NAMED_BY = {"tools/call": "name", "resources/read": "uri"}
"""The parameter that the header Mcp-Name repeats, by method."""

_HOUR = 3_600_000
_LIFETIME_MS = {"server/discover": _HOUR, "tools/list": _HOUR, "resources/templates/list": _HOUR}
"""How long clients may keep an answer that only a release changes, in milliseconds."""

NOT_JSON = "The body is not JSON in UTF-8."
NOT_A_MESSAGE = (
    "Send one JSON-RPC message, not a batch: an object with “jsonrpc”: “2.0”, a “method”, an “id” "
    "that is a text or a whole number (a notification has none), and “params”, an object."
)


class ProtocolError(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, sentence: str, **data: JsonValue) -> None:
        super().__init__(sentence)
        self.code, self.data = code, data


@dataclass(frozen=True)
class Reply:
    """The answer to a message; None to a notification. `status` is that of HTTP."""

    status: int
    message: Mapping[str, Any] | None = None


class _Message(BaseModel):
    """A request, or a notification if it has no `id`."""

    model_config = ConfigDict(strict=True)

    jsonrpc: Literal["2.0"]
    id: Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=-(2**63), lt=2**63)] = ""
    method: Annotated[str, Field(max_length=200)]
    params: dict[str, JsonValue] = {}

    @property
    def meta(self) -> Mapping[str, JsonValue]:
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}


class _InitializeParams(BaseModel, title="handshake"):
    protocolVersion: Annotated[str, Field(description="the protocol's revision, as a text")]  # noqa: N815


class _ListParams(BaseModel, title="list"):
    cursor: Annotated[str, Field(description="the nextCursor of the list before")] = ""


class _ReadParams(BaseModel, title="resource"):
    uri: Annotated[str, Field(max_length=2_000, description="the address of a page")]


class _CallParams(BaseModel, title="call"):
    name: Annotated[str, Field(description="the name of a tool")]
    arguments: Annotated[dict[str, JsonValue], Field(description="an object")] = {}


def reply_to(
    body: bytes,
    read: Callable[[Callable[[Content], dict[str, Any]]], dict[str, Any]],
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """The answer to a message; `read` calls a function with the content. `headers` are those of
    HTTP, in any case; stdio has none.
    """
    request_id: str | int | None = None
    is_stateless = True
    try:
        message = _message(body)
        if "id" not in message.model_fields_set:
            return Reply(202)
        request_id = message.id
        is_stateless = _is_stateless(message, headers)
        method = _METHODS.get((message.method, is_stateless)) or _METHODS.get(
            (message.method, None)
        )
        if method is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"There is no method “{message.method}” here.")
        result = read(lambda content: method(content, message.params))
        if is_stateless:
            result |= _for_stateless(message.method)
        return Reply(200, {"jsonrpc": "2.0", "id": request_id, "result": result})
    except ProtocolError as error:
        # After a handshake, clients expect the errors of readable requests with 200.
        status = STATUSES.get(error.code, 400) if is_stateless else 200
        return _refused(status, request_id, error)


def refusal(status: int, sentence: str) -> Reply:
    """The answer to what is not read at all."""
    return _refused(status, None, ProtocolError(INVALID_REQUEST, sentence))


def _refused(status: int, request_id: str | int | None, error: ProtocolError) -> Reply:
    fault: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data:
        fault["data"] = error.data
    return Reply(status, {"jsonrpc": "2.0", "id": request_id, "error": fault})


def _message(body: bytes) -> _Message:
    try:
        return _Message.model_validate_json(body)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":
            raise ProtocolError(PARSE_ERROR, NOT_JSON) from None
        raise ProtocolError(INVALID_REQUEST, NOT_A_MESSAGE) from None


def _is_stateless(message: _Message, headers: Mapping[str, str] | None) -> bool:
    """Whether a request is one of the stateless revision, and complete; else one of those with a
    handshake.
    """
    stated = message.meta.get(f"{_META}protocolVersion")
    header = None if headers is None else headers.get("Mcp-Protocol-Version")
    if stated is None and header in (None, *HANDSHAKE_VERSIONS):
        return False
    version = header if stated is None else stated
    if version not in VERSIONS:
        raise ProtocolError(
            UNSUPPORTED_VERSION,
            f"This revision of the protocol is not known here; these are: {', '.join(VERSIONS)}.",
            supported=[*VERSIONS],
            requested=str(version)[:100],
        )
    if stated != STATELESS_VERSION or not isinstance(
        message.meta.get(f"{_META}clientCapabilities"), dict
    ):
        raise ProtocolError(
            INVALID_PARAMS,
            f"params._meta needs {_META}protocolVersion, “{STATELESS_VERSION}”, and "
            f"{_META}clientCapabilities, an object.",
        )
    if headers is not None:
        _check_headers(message, headers)
    return True


def _check_headers(message: _Message, headers: Mapping[str, str]) -> None:
    """Require that the headers repeat what the body says, as proxies route by them."""
    expected: dict[str, JsonValue] = {
        "Mcp-Protocol-Version": STATELESS_VERSION,
        "Mcp-Method": message.method,
    }
    if name := message.params.get(_NAMED_BY.get(message.method, "")):
        expected["Mcp-Name"] = name
    for header, value in expected.items():
        if _decoded(headers.get(header, "")) != value:
            raise ProtocolError(
                HEADER_MISMATCH, f"The header {header} is not the same as in the body."
            )


def _decoded(header: str) -> str:
    """The text of a header, which is in Base64 if it is not plain ASCII."""
    encoded = re.fullmatch(r"=\?base64\?(.*)\?=", header)
    try:
        return b64decode(encoded[1], validate=True).decode() if encoded else header
    except ValueError:
        return header


def _for_stateless(method: str) -> dict[str, Any]:
    """What the stateless revision has in each result besides."""
    result: dict[str, Any] = {"resultType": "complete", "_meta": {f"{_META}serverInfo": _server()}}
    if method != "tools/call":
        result |= {"ttlMs": _LIFETIME_MS.get(method, 0), "cacheScope": "public"}
    return result


def _server() -> dict[str, str]:
    return {"name": "ship-or-skip", "title": SITE_NAME, "version": __version__}


def _about() -> dict[str, Any]:
    return {
        "capabilities": {"tools": {}, "resources": {}},
        "instructions": agent_tools.INSTRUCTIONS,
    }


def _initialize(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    wanted = _read(_InitializeParams, params).protocolVersion
    # A client of another revision more likely knows an earlier one than a later one.
    earlier = (version for version in HANDSHAKE_VERSIONS if version <= wanted)
    version = next(earlier, HANDSHAKE_VERSIONS[0])
    return {"protocolVersion": version, "serverInfo": _server(), **_about()}


def _discover(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"supportedVersions": [*VERSIONS], **_about()}


def _ping(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    return {}


def _list_tools(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"tools": agent_tools.described_tools()}


def _call_tool(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    """An agent can mend wrong arguments, so their fault is a result that it reads."""
    call = _read(_CallParams, params)
    tool = agent_tools.TOOLS.get(call.name)
    if tool is None:
        known = ", ".join(agent_tools.TOOLS)
        raise ProtocolError(INVALID_PARAMS, f"There is no tool of that name; there are {known}.")
    try:
        answer = _read(tool, call.arguments).answer(content)
        text, is_error = agent_tools.bounded(answer), False
    except (ProtocolError, Http404) as error:
        text, is_error = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _list_resources(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    cursor = _read(_ListParams, params).cursor or "0"
    if not re.fullmatch(r"[0-9]{1,9}", cursor):
        raise ProtocolError(INVALID_PARAMS, "cursor is not the nextCursor of a list before.")
    resources, following = agent_tools.resources(content, int(cursor))
    return {"resources": resources} | ({"nextCursor": str(following)} if following else {})


def _list_templates(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"resourceTemplates": agent_tools.resource_templates()}


def _read_resource(content: Content, params: Mapping[str, Any]) -> dict[str, Any]:
    uri = _read(_ReadParams, params).uri
    try:
        text = agent_tools.bounded(agent_tools.resource(content, uri))
    except Http404 as error:
        raise ProtocolError(INVALID_PARAMS, str(error), uri=uri) from None
    return {"contents": [{"uri": uri, "mimeType": MEDIA_TYPES["md"], "text": text}]}


def _read(model: type[T], values: Mapping[str, Any]) -> T:
    try:
        return model.model_validate(values, strict=True)
    except ValidationError as error:
        path, sentence = first_fault(error, TypeAdapter(model))
        raise ProtocolError(INVALID_PARAMS, f"{'.'.join(map(str, path))} {sentence}.") from None


_METHODS: Mapping[
    tuple[str, bool | None], Callable[[Content, Mapping[str, Any]], dict[str, Any]]
] = {
    ("initialize", False): _initialize,
    ("ping", False): _ping,
    ("server/discover", True): _discover,
    ("tools/list", None): _list_tools,
    ("tools/call", None): _call_tool,
    ("resources/list", None): _list_resources,
    ("resources/templates/list", None): _list_templates,
    ("resources/read", None): _read_resource,
}
"""The methods by name, and by whether the stateless revision alone has it; None: all have it."""
