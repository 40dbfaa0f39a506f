"""Faults to Sentry, where SENTRY_DSN says so: what broke and where, and nothing of anybody."""

import sentry_sdk
from sentry_sdk.types import Event, Hint

from shipskip.operations.observability.logs import masked, request_id


def start(dsn: str) -> None:
    """Send every unhandled fault and every logged error to the Sentry at `dsn`.

    Neither addresses, cookies, forms, queries nor the values of variables leave the site.
    """
    sentry_sdk.init(
        dsn=dsn,
        before_send=stripped,
        include_local_variables=False,
        max_breadcrumbs=0,
        max_request_body_size="never",
        send_client_reports=False,
        send_default_pii=False,
        server_name="",
    )


def stripped(event: Event, hint: Hint) -> Event:
    """The event with the request's method and id alone, its texts without addresses."""
    request = event.pop("request", None) or {}
    event.pop("user", None)
    event.pop("extra", None)
    event["request"] = {"method": request.get("method", "")}
    event.setdefault("tags", {})["request"] = request_id.get()
    for fault in event.get("exception", {}).get("values", []):
        fault["value"] = masked(fault.get("value") or "")
    if entry := event.get("logentry"):
        event["logentry"] = {
            name: masked(text)
            if isinstance(text, str) and name in ("message", "formatted")
            else text
            for name, text in entry.items()
            if name != "params"
        }
    return event
