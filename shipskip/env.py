"""The settings that an operator may set: name, rule and default of each, once.

They are read from the environment and from `.env`; the environment takes precedence. `.env.example`
says what each is.
"""

import os
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any

from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BeforeValidator,
    Field,
    Json,
    NonNegativeInt,
    PositiveInt,
    Secret,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from shipskip.folders import DATA_DIR
from shipskip.operations.settings_doctor.rules import (
    comma_separated,
    database,
    like,
    mail_provider,
    mail_server,
    nearest_name,
)

OTHERS = {"POSTGRES_PASSWORD", "TEST_POSTGRES_URL"}
"""Names in `.env` or the environment for other programs: deploy/compose.yaml, `make test`."""
OF_SERVE: dict[str, type] = {"DATA_DIR": str, "HOST": str, "WORKERS": PositiveInt}
"""What is read from the environment only, mostly by deploy/serve, and the types."""
RETIRED = {
    "ADMIN_PATH": "The desk is at /admin/",
    "BACKUP_KEY": "The program of BACKUP_COPY encrypts (docs/operations.md, Backups): set that",
    "BACKUP_S3": "The program of BACKUP_COPY copies (docs/operations.md, Backups): set that",
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


def _database_url(text: str) -> str:
    database(text)
    return text


def _form(pattern: str, example: str) -> AfterValidator:
    return AfterValidator(like(pattern, example))


A_LIST = BeforeValidator(comma_separated)
Host = Annotated[
    str, _form(r"\*|\.?[\w-]+(\.[\w-]+)*|\[[\da-fA-F:.]+\]", "names only, as ship.example")
]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(partial(ip_network, strict=False))]
Key = Annotated[str, Field(min_length=32)]
Token = Annotated[str, _form(r"[!-~]{16,}", "16 characters or more, letters and digits")]
Sender = Annotated[str, _form(r"([^<>]*<)?[^@\s,;<>]+@[^@\s,;<>]+>?", "Name <name@host>")]
Contact = Annotated[
    str,
    _form(
        r"https://\S+|mailto:[^@\s,;]+@[^@\s,;]+",
        "mailto:security@ship.example or an https:// address",
    ),
]
Dsn = Annotated[
    str,
    _form(
        r"https?://\w+(:\w+)?@[^\s/@]+(/[^\s]*)?/\d+", "https://key@host/number, as Sentry shows it"
    ),
]


class Env(BaseSettings):
    """The settings. An empty value is the default."""

    model_config = SettingsConfigDict(
        case_sensitive=True,
        env_file_encoding="utf-8-sig",
        extra="ignore",
        hide_input_in_errors=True,
        validate_default=False,
    )

    DEBUG: bool = False
    SECRET_KEY: Secret[Key] = Secret("")
    SECRET_KEY_FALLBACKS: Annotated[Secret[Annotated[list[str], A_LIST]], NoDecode] = Secret([])
    ALLOWED_HOSTS: Annotated[list[Host], NoDecode, A_LIST] = ["localhost", "127.0.0.1", "[::1]"]
    PORT: Annotated[int, Field(ge=1, le=65535)] = 8000
    SITE_URL: AnyHttpUrl | None = None
    DATABASE_URL: Secret[Annotated[str, AfterValidator(_database_url)]] = Secret(
        f"sqlite:///{DATA_DIR / 'db.sqlite3'}"
    )
    TRUSTED_PROXIES: Annotated[list[Network], NoDecode, A_LIST] = []
    PRIVATE_SOURCES: Annotated[list[Network], NoDecode, A_LIST] = []
    VOTES_PER_NETWORK_PER_DAY: PositiveInt = 20
    VOTES_PER_VISITOR_PER_MINUTE: PositiveInt = 30
    NEW_VISITORS_PER_NETWORK_PER_HOUR: PositiveInt = 60
    MAIL_FROM: Sender = "Ship or Skip <verdicts@localhost>"
    EMAIL_URL: Annotated[
        Secret[Annotated[dict[str, Any], BeforeValidator(mail_server)]], NoDecode
    ] = Secret({})
    MAIL_PROVIDER: Annotated[str, AfterValidator(mail_provider)] = ""
    ANYMAIL: Annotated[Secret[Json[dict[str, Any]]], NoDecode] = Secret({})
    MAILS_PER_SECOND: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10
    JOINS_PER_NETWORK_PER_DAY: PositiveInt = 20
    REPORTS_PER_NETWORK_PER_DAY: PositiveInt = 10
    BACKUP_COPY: str = ""
    DATA_LICENCE: AnyHttpUrl = AnyHttpUrl("https://creativecommons.org/licenses/by/4.0/")
    HSTS_SECONDS: NonNegativeInt = 31_536_000
    HSTS_SUBDOMAINS: bool = False
    SECURITY_CONTACT: Contact = ""
    METRICS_TOKEN: Secret[Token] = Secret("")
    SENTRY_DSN: Secret[Dsn] = Secret("")

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, values: dict[str, str]) -> dict[str, str]:
        stripped = {name: str(value).strip() for name, value in values.items()}
        return {name: value for name, value in stripped.items() if value}

    @field_validator("SITE_URL")
    @classmethod
    def _scheme_and_host_only(cls, url: AnyHttpUrl) -> AnyHttpUrl:
        if url.path not in (None, "/") or url.query or url.fragment or url.username:
            raise ValueError("give the scheme and the host only, such as https://ship.example")
        return url

    @model_validator(mode="after")
    def _one_way_to_send(self) -> "Env":
        if self.MAIL_PROVIDER and self.EMAIL_URL.get_secret_value():
            raise ValueError("EMAIL_URL is not used together with MAIL_PROVIDER: remove one")
        return self


def read_env(file: Path) -> tuple[Env, dict[str, str]]:
    """The settings, and those of an earlier release that are still set, with a notice for each.

    Raises ImproperlyConfigured with a sentence for every fault of the file and the environment.
    """
    values, faults = _values(file)
    try:
        env = Env(_env_file=None if faults else file)  # type: ignore[call-arg]  # of BaseSettings
    except ValidationError as error:
        faults += map(_sentence, error.errors(include_url=False))
    for name, kind in OF_SERVE.items():
        try:
            TypeAdapter(kind).validate_python(os.environ.get(name, "").strip() or "1")
        except ValidationError as error:
            faults.append(f"{name}={os.environ[name]}: {error.errors()[0]['msg']}.")
        if name in values and name not in os.environ:
            sentence = f"{name} in .env is not read: set it in the environment of deploy/serve."
            faults.append(sentence)
    if faults := [*faults, *_unknown(set(values))]:
        raise ImproperlyConfigured(
            "\n".join(["The settings are wrong:", *(f"  {fault}" for fault in faults)])
            + "\nCorrect them in .env or in the environment; .env.example describes each."
        )
    return env, {
        name: f"{name} is no longer a setting. {what}; remove it."
        for name, what in RETIRED.items()
        if os.environ.get(name, values.get(name))
    }


def _values(file: Path) -> tuple[dict[str, str | None], list[str]]:
    """What is in `.env`, and a sentence for each line that cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        return {}, [f"{file} cannot be read ({reason}): correct it, or remove it."]
    faults = []
    for number_of_line, line in enumerate(lines, 1):
        name, equals, _ = line.removeprefix("export ").partition("=")
        if line.strip() and not line.startswith("#") and not (equals and name.isidentifier()):
            faults.append(f".env, line {number_of_line}: write NAME=value, without spaces.")
    return {} if faults else dotenv_values(file, encoding="utf-8-sig"), faults


def _sentence(fault: Any) -> str:
    """What is wrong with a setting; without its value if it is a secret."""
    sentence = f"{fault['ctx']['error'] if fault['type'] == 'value_error' else fault['msg']}."
    if not fault["loc"]:
        return sentence
    name = fault["loc"][0]
    is_secret = isinstance(Env.model_fields[name].default, Secret)
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
