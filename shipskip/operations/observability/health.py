"""Health checks: liveness and readiness."""

import logging
from functools import cache

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from shipskip import __version__
from shipskip.page_cache.content_version import current_version
from shipskip.web.postgresql import pooler

log = logging.getLogger(__name__)
MAX_BEHIND = 10
"""Seconds for which building the content may fail before this server is not ready."""


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Liveness: 200 while the process answers. It checks nothing else, so that an outage of another
    server causes no restart.
    """
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Readiness: 200 when the database answers and has every migration, and the content of pages
    and the search's words are in memory, else 503. It says which release this is.
    """
    found = {"database": _database(), "migrations": "unknown", "content": "unknown"}
    if found["database"] == "ok" and is_pooled_wrongly():
        found["database"] = pooler.ADVICE
    if found["database"] == "ok":
        found["migrations"] = _migrations()
    if found["migrations"] == "ok":
        found["content"] = _content()
    ready = found["database"] == found["migrations"] == found["content"] == "ok"
    return JsonResponse({"version": __version__} | found, status=200 if ready else 503)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        log.exception("Not ready: the database does not answer.")
        return "away"
    return "ok"


@cache
def is_pooled_wrongly() -> bool:
    """Whether a pooler gives each transaction another session; asked once in a process."""
    if is_pooled := pooler.separates_transactions():
        log.error("Not ready: %s", pooler.ADVICE)
    return is_pooled


_migrated = False
"""Whether this process once found all migrations applied; then it does not check again."""


def _migrations() -> str:
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return "ok" if _migrated else "missing"


def _content() -> str:
    """`missing` before the first build and the search's words; `outdated` if a newer one has failed
    for MAX_BEHIND.
    """
    current_version.get()
    if not current_version.is_ready:
        return "missing"
    return "outdated" if current_version.seconds_behind > MAX_BEHIND else "ok"
