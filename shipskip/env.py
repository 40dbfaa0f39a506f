"""The settings that an operator may set: name, rule, default and description of each, once.

They are read from the environment and from `.env`; the environment takes precedence. `.env.example`
and the table of docs/operations.md are written from here (`python -m tests.settings_documents`).
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from shipskip.folders import DATA_DIR
from shipskip.operations.bucket_address import bucket
from shipskip.operations.settings_doctor import rules
from shipskip.operations.settings_doctor.rules import (
    nearest_name,
    number,
    whole_number,
    yes_or_no,
)

OTHERS = {"POSTGRES_PASSWORD", "TEST_POSTGRES_URL"}
"""Names in `.env` or the environment for other programs: deploy/compose.yaml, `make test`."""
OF_SERVE: dict[str, Callable[[str], object]] = {
    "DATA_DIR": str,
    "HOST": str,
    "WORKERS": whole_number(1),
}
"""What is read from the environment only, mostly by deploy/serve, and the rules."""
RETIRED = {
    "ADMIN_PATH": "The desk is at /admin/",
    "CACHE_URL": "Each process keeps its own pages, and nginx keeps them for all",
    "DATABASE_POOL": "A process opens at most 8 connections to PostgreSQL",
    "DATABASE_WAIT": "A request waits one second for a connection to PostgreSQL",
    "HASHED_ASSETS": "deploy/serve and deploy/manage use files whose names have hashes",
    "LOG_FORMAT": "A served site logs JSON, on a terminal text",
    "MAIL_THREADS": "One thread in each process sends confirmation mails",
    "METRICS_DIR": "Workers share their metrics in the unit's folder in /run, otherwise in var",
    "PAGE_MEMORY_MB": "A process keeps 64 MB of pages",
    "READY_SECONDS": "A reload or upgrade waits 120 seconds for a server",
    "SERVERS": "Set WORKERS where several servers share a machine",
    "SOCKET": "A server listens on HOST and PORT",
    "STALE_AFTER_DAYS": "A take or fact counts as old after 180 days",
    "THREADS": "A worker has a fixed number of threads",
}
"""Settings of earlier releases that nothing reads, and what is now."""


def secret(rule: Callable[[str], Any]) -> AfterValidator:
    """Check a secret by a rule, and keep its text."""

    def check(value: SecretStr) -> SecretStr:
        rule(value.get_secret_value())
        return value

    return AfterValidator(check)


Flag = Annotated[bool, BeforeValidator(yes_or_no)]
Count = Annotated[int, BeforeValidator(whole_number(1))]


class Env(BaseSettings):
    """The settings. An empty value is the default."""

    model_config = SettingsConfigDict(
        case_sensitive=True,
        env_file_encoding="utf-8-sig",
        extra="ignore",
        hide_input_in_errors=True,
        validate_default=False,
    )

    DEBUG: Flag = Field(
        default=False,
        description="Technical error pages and code reloading for developers. Never on a public "
        "machine.",
    )
    SECRET_KEY: Annotated[SecretStr, secret(rules.secret_key)] = Field(
        default=SecretStr(""),
        description="The key that signs cookies and tokens, 32 characters or more. Empty: generated"
        " on first use and stored in var/secret_key.",
    )
    SECRET_KEY_FALLBACKS: SecretStr = Field(
        default=SecretStr(""),
        description="Earlier keys, comma-separated, that are still accepted after a change of "
        "SECRET_KEY.",
    )
    ALLOWED_HOSTS: Annotated[list[str], NoDecode, BeforeValidator(rules.hosts)] = Field(
        default=["localhost", "127.0.0.1", "[::1]"],
        description="The host names of this site, comma-separated. Requests for other hosts are "
        "refused.",
    )
    PORT: Annotated[int, BeforeValidator(whole_number(1, 65535))] = Field(
        default=8000,
        description="The port where `make run` and `make serve` listen.",
    )
    SITE_URL: Annotated[str, BeforeValidator(rules.site_url)] = Field(
        default="",
        description="The site's public URL, used in every absolute link. https:// makes cookies "
        "Secure. Empty: http://127.0.0.1 with the site's PORT.",
    )
    DATABASE_URL: Annotated[SecretStr, secret(rules.database)] = Field(
        default=SecretStr(f"sqlite:///{DATA_DIR / 'db.sqlite3'}"),
        description="sqlite:///path (three slashes and a path from DATA_DIR, four for an absolute "
        "one) or postgres://user:password@host:5432/name. The default is db.sqlite3 in DATA_DIR.",
        examples=["postgres://shipskip@127.0.0.1:5432/shipskip"],
    )
    TRUSTED_PROXIES: Annotated[list[str], NoDecode, BeforeValidator(rules.networks)] = Field(
        default=[],
        description="Our own reverse proxies (IP addresses or networks, comma-separated). "
        "X-Forwarded-For is trusted only from them.",
    )
    PRIVATE_SOURCES: Annotated[list[str], NoDecode, BeforeValidator(rules.networks)] = Field(
        default=[],
        description="Networks of our own (IP addresses or networks, comma-separated) that "
        "`check_sources` may ask too; otherwise it asks public addresses only.",
    )
    VOTES_PER_NETWORK_PER_DAY: Count = Field(
        default=20,
        description="How many votes, changes and withdrawals of votes from one network (IPv4 /24, "
        "IPv6 /48) may change the tally of one tool in a day. The limit for all tools is five times"
        " as high, and both limits are ten times as high for a wide network (IPv4 /16, IPv6 /32). "
        "Further votes are refused until midnight (UTC).",
    )
    VOTES_PER_VISITOR_PER_MINUTE: Count = Field(
        default=30, description="How many times one visitor may change votes in a minute."
    )
    NEW_VISITORS_PER_NETWORK_PER_HOUR: Count = Field(
        default=60,
        description="How many visitors of one network may vote or save a tool for the first time in"
        " an hour; further ones get a 429.",
    )
    MAIL_FROM: Annotated[str, BeforeValidator(rules.sender)] = Field(
        default="Ship or Skip <verdicts@localhost>",
        description="The sender of the mails: an address that the mail server may send for.",
    )
    EMAIL_URL: Annotated[SecretStr, secret(rules.mail_server)] = Field(
        default=SecretStr(""),
        description="The mail server: smtp://user:password@host:25, smtp+tls://… (STARTTLS, port "
        "587) or smtp+ssl://… (port 465). Without this and the next two settings mails are written "
        "to files in var/mail.",
        examples=["smtp+tls://user:password@mail.example:587"],
    )
    MAIL_PROVIDER: Annotated[str, BeforeValidator(rules.mail_provider)] = Field(
        default="",
        description="Instead of EMAIL_URL: a provider that django-anymail supports, by the name of "
        "its module.",
        examples=["mailgun"],
    )
    ANYMAIL: Annotated[SecretStr, secret(rules.json_object)] = Field(
        default=SecretStr(""),
        description="The provider's settings as JSON. With WEBHOOK_SECRET, /newsletter/provider/ "
        "accepts its webhooks (bounces, complaints).",
        examples=['{"MAILGUN_API_KEY": "…", "WEBHOOK_SECRET": "name:password"}'],
    )
    MAILS_PER_SECOND: Annotated[float, BeforeValidator(number)] = Field(
        default=10.0,
        description="The maximum number of mails of an issue sent in a second; 0: as fast as the "
        "mail server accepts them.",
    )
    JOINS_PER_NETWORK_PER_DAY: Count = Field(
        default=20, description="Maximum sign-ups to the newsletter from one network in a day."
    )
    REPORTS_PER_NETWORK_PER_DAY: Count = Field(
        default=10,
        description="How many reports and suggestions of readers from one network are taken in a "
        "day; further ones get a 429.",
    )
    BACKUP_KEY: Annotated[SecretStr, secret(rules.age_key)] = Field(
        default=SecretStr(""),
        description="The key with which backups are encrypted, made by `manage.py backup --new-key`"
        " (age-keygen makes the same). Keep a copy elsewhere. Empty: backups are not encrypted.",
    )
    BACKUP_S3: Annotated[SecretStr, secret(bucket)] = Field(
        default=SecretStr(""),
        description="Where backups are copied to: a bucket of any S3, with a folder in it or"
        " without. Empty: backups stay on this machine.",
        examples=[
            "https://ACCESS_KEY:SECRET@s3.eu-central-1.example/bucket/folder?region=eu-central-1"
        ],
    )
    DATA_LICENCE: Annotated[str, BeforeValidator(rules.web_address)] = Field(
        default="https://creativecommons.org/licenses/by/4.0/",
        description="The address of the licence under which programs may use the files of /data/: "
        "the whole public catalogue. The default is Creative Commons Attribution (CC BY 4.0).",
    )
    HSTS_SECONDS: Annotated[int, BeforeValidator(whole_number(0))] = Field(
        default=365 * 24 * 3600,
        description="Seconds for which browsers use HTTPS only (HSTS; the default is a year); sent "
        "if SITE_URL is https://.",
    )
    HSTS_SUBDOMAINS: Flag = Field(
        default=False,
        description="Adds every subdomain to HSTS and allows preloading, which cannot be undone for"
        " months.",
    )
    SECURITY_CONTACT: Annotated[str, BeforeValidator(rules.contact)] = Field(
        default="",
        description="The contact for security reports in /.well-known/security.txt: a mailto: or "
        "https: address. Empty: mailto:security@HOST, with the host of SITE_URL.",
    )
    METRICS_TOKEN: Annotated[SecretStr, secret(rules.token)] = Field(
        default=SecretStr(""),
        description="The bearer token for /metrics (Prometheus), 16 characters or more. Empty: "
        "/metrics is a 404.",
    )
    SENTRY_DSN: Annotated[SecretStr, secret(rules.sentry_dsn)] = Field(
        default=SecretStr(""),
        description="The Sentry DSN to which errors are reported, without personal data. Empty: "
        "errors are not reported.",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, values: dict[str, str]) -> dict[str, str]:
        stripped = {name: str(value).strip() for name, value in values.items()}
        return {name: value for name, value in stripped.items() if value}

    @model_validator(mode="after")
    def _one_way_to_send(self) -> "Env":
        if self.MAIL_PROVIDER and self.EMAIL_URL.get_secret_value():
            raise ValueError("EMAIL_URL is not used together with MAIL_PROVIDER: remove one")
        return self


def read_env(file: Path) -> tuple[Env, list[str]]:
    """The settings, and a notice for each one of an earlier release that is still set.

    Raises ImproperlyConfigured with a sentence for every fault of the file and the environment.
    """
    values, faults = _values(file)
    try:
        env = Env(_env_file=None if faults else file)  # type: ignore[call-arg]  # of BaseSettings
    except ValidationError as error:
        faults += map(_sentence, error.errors(include_url=False))
    for name, rule in OF_SERVE.items():
        try:
            rule(os.environ.get(name, "").strip() or "1")
        except ValueError as error:
            faults.append(f"{name}={os.environ[name]}: {error}.")
        if name in values and name not in os.environ:
            sentence = f"{name} in .env is not read: set it in the environment of deploy/serve."
            faults.append(sentence)
    if faults := [*faults, *_unknown(values)]:
        raise ImproperlyConfigured(
            "\n".join(["The settings are wrong:", *(f"  {fault}" for fault in faults)])
            + "\nCorrect them in .env or in the environment; .env.example describes each."
        )
    return env, [
        f"{name} is no longer a setting. {what}; remove it."
        for name, what in RETIRED.items()
        if name in values or name in os.environ
    ]


def _values(file: Path) -> tuple[set[str], list[str]]:
    """The names in `.env`, and a sentence for each line that is none."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return set(), []
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        return set(), [f"{file} cannot be read ({reason}): correct it, or remove it."]
    faults = []
    for number_of_line, line in enumerate(lines, 1):
        name, equals, _ = line.removeprefix("export ").partition("=")
        if line.strip() and not line.startswith("#") and not (equals and name.isidentifier()):
            faults.append(f".env, line {number_of_line}: write NAME=value, without spaces.")
    return set() if faults else set(dotenv_values(file, encoding="utf-8-sig")), faults


def _sentence(fault: Any) -> str:
    """What is wrong with a setting; without its value if it is a secret."""
    sentence = f"{fault['ctx']['error']}."
    if not fault["loc"]:
        return sentence
    (name,) = fault["loc"]
    is_secret = Env.model_fields[name].annotation is SecretStr
    return f"{name}: {sentence}" if is_secret else f"{name}={fault['input']}: {sentence}"


def _unknown(in_file: set[str]) -> list[str]:
    """A sentence for each unknown name in the file, and for each name in the environment that
    resembles a setting; most names in the environment belong to other programs.
    """
    settings = {*Env.model_fields, *OF_SERVE}
    known = settings | OTHERS | RETIRED.keys()
    faults = [
        f"{name} in .env is not a setting of this site{nearest_name(name, settings | OTHERS)}."
        for name in in_file - known
    ]
    distinct = {name for name in settings if "_" in name}
    faults += [
        f"{name} in the environment is not a setting of this site{meant}."
        for name in os.environ.keys() - known - in_file
        if (meant := nearest_name(name, distinct, cutoff=0.85))
    ]
    return sorted(faults)
