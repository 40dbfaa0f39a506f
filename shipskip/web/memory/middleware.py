"""The first middleware: answers public pages from memory, and keeps those that it lets through."""

from collections.abc import Callable
from time import monotonic, time

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from shipskip.web.caching import notes_of
from shipskip.web.memory import counts
from shipskip.web.memory.kept import Answer, Page, page_of
from shipskip.web.memory.keys import Place, place_of, query_of
from shipskip.web.memory.knowledge import known
from shipskip.web.memory.shared import Shared, release
from shipskip.web.memory.shelf import Shelf
from shipskip.web.memory.turns import Turns

GetResponse = Callable[[HttpRequest], HttpResponseBase]
MOST_HOSTS = 200


class Memory:
    """The pages one process keeps.

    Pages with a query have a quarter of the room for themselves: whoever asks for a thousand
    senseless searches drives out other searches, and no page that readers come for.
    """

    def __init__(self) -> None:
        self.plain, self.asked, self.shared = Shelf(0), Shelf(0), Shared("")
        self.turns = Turns()
        self.hosts: set[str] = set()

    def set_up(self) -> None:
        """Read the settings; what is kept stays."""
        size = int(settings.PAGE_MEMORY_MB * 2**20)
        self.asked.limit, self.plain.limit = size // 4, size - size // 4
        self.shared = Shared(settings.CACHE_URL)

    def forget(self) -> None:
        """Keep nothing and know nothing, as at the start."""
        self.plain.clear()
        self.asked.clear()
        self.hosts.clear()
        query_of.cache_clear()
        release.cache_clear()
        known.forget()

    def shelf(self, key: str) -> Shelf:
        """Where the page of a key is kept."""
        return self.asked if "?" in key else self.plain


memory = Memory()
"""What this process keeps."""


def pages_from_memory(get_response: GetResponse) -> GetResponse:
    """Middleware, to stand before all others: public pages come from memory while they are true.

    Everything that is not public passes untouched.
    """
    memory.set_up()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not _welcome(request):
            return get_response(request)
        if request.META.get("QUERY_STRING"):
            place = place_of(request)
            key = place.key if place else None
        else:
            place, key = None, request.path_info
        if key is not None:
            page = memory.shelf(key).get(key)
            if page is not None and _true(page):
                return _answer(request, key, page)
            if page is not None:
                counts["stale"] += 1
        place = place or place_of(request)
        if place is None:
            return get_response(request)
        return _made(request, place, get_response)

    return middleware


def _welcome(request: HttpRequest) -> bool:
    """Whether the request may be answered from memory: by its host, and over HTTPS where asked."""
    host = request.META.get("HTTP_HOST", "")
    if host not in memory.hosts:
        try:
            request.get_host()
        except DisallowedHost:
            return False
        if len(memory.hosts) < MOST_HOSTS:
            memory.hosts.add(host)
    return not settings.SECURE_SSL_REDIRECT or request.is_secure()


def _true(page: Page) -> bool:
    """Whether a kept page is still true, as known within a second."""
    if monotonic() >= known.look_at:
        known.look()
    return known.fresh(page.version, page.turn, page.notes)


def _answer(request: HttpRequest, key: str, page: Page) -> Answer:
    """A kept page's answer."""
    made = len(page.variants)
    answer = page.answer(request)
    counts["hit" if answer.status_code != 304 else "not_modified"] += 1
    if len(page.variants) != made:
        memory.shelf(key).put(key, page)  # it weighs more now
    return answer


def _made(request: HttpRequest, place: Place, get_response: GetResponse) -> HttpResponseBase:
    """A page that is not at hand: rendered by one, for all who ask for it meanwhile."""
    place.prepare(request)
    key = place.key if place.key and memory.plain.limit else None
    if key is None:
        return _rendered(request, None, get_response)
    if monotonic() >= known.look_at:
        known.look()
    with memory.turns.taken(key) as ours:
        if not ours:
            page = memory.shelf(key).get(key)
            if page is not None and _true(page):
                return _answer(request, key, page)
        return _rendered(request, key, get_response)


def _rendered(request: HttpRequest, key: str | None, get_response: GetResponse) -> HttpResponseBase:
    """The page as the rest of the site answers it, kept under its key when it can be."""
    began, version, turn = time(), known.version, known.turn
    if key and (page := _from_others(key)):
        page.version, page.turn = version, turn
        counts["shared"] += 1
        answer = page.answer(request)
        memory.shelf(key).put(key, page)
        return answer
    known_tag = request.META.pop("HTTP_IF_NONE_MATCH", None)  # the body is needed, if only here
    response = get_response(request)
    if known_tag is not None:
        request.META["HTTP_IF_NONE_MATCH"] = known_tag
    notes = notes_of(request)
    made = page_of(response, notes)
    if made is None or notes.refused or version is None:
        if key and "?" not in key:
            memory.shared.leave(key, version)
    elif key:
        made.began, made.version, made.turn = began, version, turn
        memory.shelf(key).put(key, made)
        if "?" not in key:
            memory.shared.offer(key, made)
    if made is None:
        return response
    counts["miss"] += 1
    return made.answer(request)


def _from_others(key: str) -> Page | None:
    """The page that another process made, if it is still true."""
    if "?" in key:
        return None
    try:
        return memory.shared.find(key, known.version)
    except (DatabaseError, InterfaceError):
        return None
