"""Error reports to Sentry (SENTRY_DSN), without personal data."""

import sentry_sdk
from django.db import InterfaceError, OperationalError
from sentry_sdk.types import Event, Hint

from shipskip import __version__
from shipskip.jobs import outages
from shipskip.operations.observability.logs import request_id, scrubbed

QUIET_SECONDS = 600.0
"""Seconds without an error of the database after which its outage is over."""


def start(dsn: str) -> None:
    """Send unhandled exceptions and logged errors to the Sentry at `dsn`.

    Addresses, cookies, form data, queries and values of variables are not sent.
    """
    sentry_sdk.init(
        dsn=dsn,
        before_send=once_an_outage,
        release=__version__,
        include_local_variables=False,
        max_breadcrumbs=0,
        max_request_body_size="never",
        send_client_reports=False,
        send_default_pii=False,
        server_name="",
    )


def once_an_outage(event: Event, hint: Hint) -> Event | None:
    """The event without personal data; none if it tells of an outage of the database that was
    reported: every request and every health check fails meanwhile.
    """
    error = (hint.get("exc_info") or (None, None))[1]
    if isinstance(error, OperationalError | InterfaceError) and not outages.begins(
        "database", quiet_seconds=QUIET_SECONDS
    ):
        return None
    return stripped(event)


def stripped(event: Event) -> Event:
    """The event, reduced to the request's method and id, with its texts scrubbed."""
    request = event.pop("request", None) or {}
    event.pop("user", None)
    event.pop("extra", None)
    event["request"] = {"method": request.get("method", "")}
    event.setdefault("tags", {})["request"] = request_id.get()
    for error in event.get("exception", {}).get("values", []):
        error["value"] = scrubbed(error.get("value") or "")
    if entry := event.get("logentry"):
        event["logentry"] = {
            name: scrubbed(text)
            if isinstance(text, str) and name in ("message", "formatted")
            else text
            for name, text in entry.items()
            if name != "params"
        }
    return event
