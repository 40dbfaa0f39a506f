"""Faults to Sentry, where SENTRY_DSN says so: what broke and where, and nothing of anybody."""

from typing import Any

import sentry_sdk

from shipskip.seeing.logs import masked, request_id


def start(dsn: str) -> None:
    """Send every unhandled fault and every logged error to the Sentry at `dsn`.

    Neither addresses, cookies, forms, queries nor the values of variables leave the site.
    """
    sentry_sdk.init(
        dsn=dsn,
        before_send=stripped,  # type: ignore[arg-type]
        include_local_variables=False,
        max_breadcrumbs=0,
        max_request_body_size="never",
        send_client_reports=False,
        send_default_pii=False,
        server_name="",
    )


def stripped(event: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any]:
    """The event with the request's method and id alone, its texts without addresses."""
    request = event.pop("request", None) or {}
    event.pop("user", None)
    event.pop("extra", None)
    event["request"] = {"method": request.get("method", "")}
    event.setdefault("tags", {})["request"] = request_id.get()
    for fault in event.get("exception", {}).get("values", []):
        fault["value"] = masked(fault.get("value") or "")
    for name in ("message", "formatted"):
        if isinstance(event.get("logentry", {}).get(name), str):
            event["logentry"][name] = masked(event["logentry"][name])
    event.get("logentry", {}).pop("params", None)
    return event
