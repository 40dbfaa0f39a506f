"""Checks of settings that a public site needs, for `manage.py check --deploy` and `make serve`."""

from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Info
from django.core.checks import Warning as Caution
from django.http.request import validate_host

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def is_local() -> bool:
    """Whether SITE_URL is this machine: the site is a local installation, not a public one."""
    return urlsplit(settings.SITE_URL).hostname in LOCAL_HOSTS


def public_address(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    """Check SITE_URL, ALLOWED_HOSTS and TRUSTED_PROXIES; one message for each problem."""
    if is_local():
        return [
            Info(
                f"SITE_URL is {settings.SITE_URL}, which only this machine can open.",
                hint="Set SITE_URL=https://… and ALLOWED_HOSTS to the site's public name.",
                id="shipskip.I001",
            )
        ]
    found: list[CheckMessage] = []
    if not settings.SECURE_SITE:
        found.append(
            Caution(
                f"SITE_URL is {settings.SITE_URL}: without HTTPS the cookies are not Secure.",
                hint="Terminate HTTPS in nginx or another proxy, and set SITE_URL=https://…",
                id="shipskip.W001",
            )
        )
    if not validate_host(urlsplit(settings.SITE_URL).hostname or "", settings.ALLOWED_HOSTS):
        found.append(
            Caution(
                "ALLOWED_HOSTS does not contain the host of SITE_URL: readers would get a 400.",
                hint=f"Set ALLOWED_HOSTS={urlsplit(settings.SITE_URL).hostname}",
                id="shipskip.W002",
            )
        )
    if not settings.TRUSTED_PROXIES:
        found.append(
            Info(
                "TRUSTED_PROXIES is empty: behind a proxy all readers count as one network, which "
                "soon reaches the rate limit of votes.",
                hint="List the addresses of the proxy, for example TRUSTED_PROXIES=127.0.0.1",
                id="shipskip.I002",
            )
        )
    return found


def nothing_for_everybody(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    """Check that neither ALLOWED_HOSTS nor TRUSTED_PROXIES matches everything."""
    found: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Caution(
                "ALLOWED_HOSTS=* accepts every host name, so a form of any host counts as ours.",
                hint=f"Set ALLOWED_HOSTS={urlsplit(settings.SITE_URL).hostname}",
                id="shipskip.W003",
            )
        )
    networks = [ip_network(proxy, strict=False) for proxy in settings.TRUSTED_PROXIES]
    if whole := [network for network in networks if network.prefixlen == 0]:
        found.append(
            Caution(
                f"TRUSTED_PROXIES contains {whole[0]}, the whole internet: every client can forge "
                "the address that votes and rate limits use.",
                hint="List the addresses of the proxy, for example TRUSTED_PROXIES=127.0.0.1",
                id="shipskip.W004",
            )
        )
    return found
