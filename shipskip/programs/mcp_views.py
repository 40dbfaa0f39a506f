"""`/mcp/`: the Model Context Protocol over HTTP."""

from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from shipskip.content.current import from_content
from shipskip.page_cache.render_turns import turns
from shipskip.programs.mcp_protocol import MAX_BODY, Reply, refusal, reply_to
from shipskip.programs.responses import for_programs, preflight
from shipskip.web.network import client_address, network_of


@csrf_exempt
@require_http_methods(["POST", "OPTIONS"])
def mcp(request: HttpRequest) -> HttpResponse:
    """The answer to one message.

    It reads no cookie, writes nothing and says what every page says, so there is nothing that a
    request of another site could forge or learn: all origins may send one. A page whose name is
    rebound to this server's address is refused by its Host (ALLOWED_HOSTS).
    """
    if request.method == "OPTIONS":
        return preflight("POST", "*")
    reply = _reply(request)
    if reply.message is None:
        return for_programs(HttpResponse(status=reply.status))
    return for_programs(JsonResponse(reply.message, status=reply.status))


def _reply(request: HttpRequest) -> Reply:
    if request.content_type != "application/json":
        return refusal(415, "Send a message with the Content-Type application/json.")
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY:
        return refusal(413, f"A message has at most {MAX_BODY // 1024} KiB.")
    with turns.take(network_of(client_address(request))):
        return reply_to(request.body, partial(from_content, request=request), request.headers)
