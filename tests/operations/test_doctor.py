"""A wrong setting stops every command with a sentence that says what is accepted."""

import os
import runpy
import secrets
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path
from time import time

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone

from shipskip import __version__, checks, operator_notes
from shipskip.env import read_env
from shipskip.jobs.models import JobRun
from shipskip.operations import running_checks
from shipskip.operations.settings_doctor import rules, server_checks
from tests.everything import POSTGRES, ready_postgres
from tests.management_commands import environment, manage, ran
from tests.newsletter import smtp_server
from tests.operations.sites import Site
from tests.source_files import ROOT

WRONG = [
    ("DEBUG", "maybe", "a valid boolean"),
    ("SECRET_KEY", "hunter2", "at least 32 characters"),
    ("ALLOWED_HOSTS", "https://ship.example", "give names only"),
    ("ALLOWED_HOSTS", "ship.example:443", "give names only"),
    ("SITE_URL", "ship.example", "a valid URL"),
    ("SITE_URL", "https://", "a valid URL"),
    ("SITE_URL", "https://ship.example/blog", "the scheme and the host only"),
    ("SITE_URL", "https://ship.example:port", "invalid port number"),
    ("SITE_URL", "https://ship or skip.example", "a valid URL"),
    ("DATABASE_URL", "mysql://user@host/name", "give sqlite:///path or postgres://"),
    ("DATABASE_URL", "postgres://user@host", "it names no database"),
    ("DATABASE_URL", "postgres://user:pass#word@host/name", "in percent-encoding"),
    ("DATABASE_URL", "sqlite:////no/such/folder/db.sqlite3", "there is no such folder"),
    ("TRUSTED_PROXIES", "10.0.0.0/33", "does not appear to be an IPv4 or IPv6 network"),
    ("VOTES_PER_NETWORK_PER_DAY", "0", "greater than 0"),
    ("VOTES_PER_VISITOR_PER_MINUTE", "30/min", "a valid integer"),
    ("MAIL_FROM", "Ship or Skip", "give Name <name@host>"),
    ("EMAIL_URL", "smtp//mail.example", "give smtp+tls://"),
    ("EMAIL_URL", "imap://mail.example", "give smtp+tls://"),
    ("MAIL_PROVIDER", "mailgum", "has no such provider"),
    ("ANYMAIL", "{'MAILGUN_API_KEY': 'x'}", "Invalid JSON"),
    ("ANYMAIL", '["x"]', "a valid dictionary"),
    ("MAILS_PER_SECOND", "ten", "a valid number"),
    ("JOINS_PER_NETWORK_PER_DAY", "0", "greater than 0"),
    ("DATA_LICENCE", "CC BY 4.0", "a valid URL"),
    ("DATA_LICENCE", "ftp://licence.example/", "'http' or 'https'"),
    ("DATA_LICENCE", "https://", "a valid URL"),
    ("HSTS_SECONDS", "-1", "greater than or equal to 0"),
    ("HSTS_SUBDOMAINS", "all", "a valid boolean"),
    ("SECURITY_CONTACT", "security@ship.example", "give mailto:security@ship.example"),
    ("METRICS_TOKEN", "short", "give 16 characters or more"),
    ("SENTRY_DSN", "https://sentry.example", "give https://key@host/number"),
    ("PORT", "99999", "less than or equal to 65535"),
    ("WORKERS", "abc", "a valid integer"),
    ("ALLOWED_HOST", "ship.example", "the nearest is ALLOWED_HOSTS"),
]
"""Settings, wrong values, and the sentence about each."""


def settings_with(monkeypatch, **values: str) -> dict[str, object]:
    """The settings that a process with this environment reads."""
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(ROOT / "shipskip/settings.py"))


@pytest.mark.parametrize(("name", "value", "expected"), WRONG)
def test_a_wrong_value_gets_a_sentence_that_says_what_is_accepted(
    monkeypatch, name, value, expected
):
    with pytest.raises(ImproperlyConfigured) as error:
        settings_with(monkeypatch, **{name: value})
    (sentence,) = str(error.value).splitlines()[1:-1]
    assert sentence.strip().startswith(name)
    assert expected in sentence
    secret = name.endswith(("KEY", "TOKEN", "DSN")) or name in ("ANYMAIL", "DATABASE_URL")
    assert not (secret and value in sentence)


def test_valid_values_are_accepted(monkeypatch):
    for name, value in (
        ("SITE_URL", " https://ship.example/ "),
        ("SITE_URL", "http://[::1]:8000"),
        ("ALLOWED_HOSTS", ".ship.example, [::1],127.0.0.1,*"),
        ("TRUSTED_PROXIES", "127.0.0.1,10.0.0.5/8,2001:db8::/32"),
        ("DATABASE_URL", "postgres:///shipskip"),
        ("DATABASE_URL", "sqlite://:memory:"),
        ("EMAIL_URL", "smtp+tls://user:p%40ss@mail.example:587"),
        ("SENTRY_DSN", ""),
    ):
        with monkeypatch.context() as patch:
            settings_with(patch, **{name: value})


def test_two_settings_for_mails_are_refused_and_links_have_the_port(monkeypatch):
    monkeypatch.delenv("SITE_URL", raising=False)
    assert settings_with(monkeypatch, PORT="8410")["SITE_URL"] == "http://127.0.0.1:8410"
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL is not used together with"):
        settings_with(monkeypatch, EMAIL_URL="smtp://mail.example", MAIL_PROVIDER="mailgun")


def refusal(file: Path) -> list[str]:
    """What is said of the settings in a file that is refused."""
    with pytest.raises(ImproperlyConfigured) as error:
        read_env(file)
    return [line.strip() for line in str(error.value).splitlines()[1:-1]]


def test_the_file_is_read_after_the_environment_and_what_it_cannot_say_is_named(
    tmp_path, monkeypatch
):
    """Otherwise the site would use its defaults: another key, another database."""
    file = tmp_path / ".env"
    file.write_text("DEBUG=false\nSECRET_KEY a-secret\n METRICS_TOKEN = a-token\n")
    assert refusal(file) == [
        ".env, line 2: write NAME=value, without spaces.",
        ".env, line 3: write NAME=value, without spaces.",
    ]
    file.write_text("SITE_URL=https://ship.example\nEMAIL_URL=smtp://mail.example:25\n")
    monkeypatch.setenv("EMAIL_URL", " ")
    env, notices = read_env(file)
    assert (str(env.SITE_URL), env.EMAIL_URL.get_secret_value()) == ("https://ship.example/", {})
    assert notices == {}
    file.write_text(
        "# a comment\n\nexport SITE_URL=https://ship.example\nSITEURL=x\nCOLOUR=y\n"
        "POSTGRES_PASSWORD=for-compose\nWORKERS=8\nTHREADS=8\n"
    )
    monkeypatch.setenv("SITE_URI", "x")
    assert refusal(file) == [
        "WORKERS in .env is not read: set it in the environment of deploy/serve.",
        "COLOUR in .env is not a setting of this site.",
        "SITEURL in .env is not a setting of this site; the nearest is SITE_URL.",
        "SITE_URI in the environment is not a setting of this site; the nearest is SITE_URL.",
    ]
    file.write_bytes(b"SITE_URL=\xff")
    for unreadable in (file, tmp_path):
        with pytest.raises(ImproperlyConfigured, match="cannot be read"):
            read_env(unreadable)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["deploy/serve", "alone"], id="serve"),
        pytest.param(["make", "--silent", "--old-file=.venv/.installed", "run"], id="make run"),
    ],
)
def test_commands_that_start_the_site_print_only_these_sentences(tmp_path, command):
    env = environment(f"sqlite:///{tmp_path / 'site.sqlite3'}")
    env |= {"WORKERS": "0", "MAIL_PROVIDER": "mailgum"}
    done = ran(*command, env=env)
    assert done.returncode
    for name in ("WORKERS=0: ", "MAIL_PROVIDER=mailgum: "):
        assert name in done.stderr
    assert len([line for line in done.stderr.splitlines() if not line.startswith("make")]) == 4
    assert not (tmp_path / "site.sqlite3").exists()


def doctor(url: str, **more: str) -> tuple[int, list[str]]:
    """The exit status of `manage.py doctor`, and the lines it prints."""
    done = manage(environment(url) | more, "doctor", must=False)
    return done.returncode, (done.stderr or done.stdout).removeprefix("CommandError: ").splitlines()


def test_the_default_settings_are_accepted_and_one_of_an_earlier_release_is_named(tmp_path):
    """Except for the database: that of a developer may be older than this rule."""
    env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}", "CACHE_URL": "redis://host/0"}
    with smtp_server.running() as mail:
        env["EMAIL_URL"] = f"smtp://127.0.0.1:{mail.port}"
        done = manage(os.environ | env, "doctor")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "CACHE_URL is no longer a setting. Each process keeps its own pages, and nginx keeps them"
        " for all; remove it.",
        "No problems found.",
    ]


@pytest.fixture
def sql_ascii():
    """The address of a PostgreSQL database with the encoding SQL_ASCII."""
    name = f"doctor_{secrets.token_hex(4)}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'")
        yield f"{POSTGRES.rpartition('/')[0]}/{name}"
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def refused_by_the_doctor(settings, url: str, mail: str) -> list[str]:
    """What the doctor says of this database and this mail server."""
    for name, value in rules.mail_server(mail).items():
        setattr(settings, name, value)
    return Site(url).refused("doctor").splitlines()


@pytest.mark.skipif(bool(ready_postgres()), reason="no PostgreSQL at TEST_POSTGRES_URL")
def test_one_run_checks_everything_that_the_settings_name(sql_ascii, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    with smtp_server.running() as mail:
        login = f"smtp://somebody:wrong@127.0.0.1:{mail.port}"
        sentences = refused_by_the_doctor(settings, sql_ascii, login)
    assert len(sentences) == 2
    assert sentences[0].startswith("The database's encoding is SQL_ASCII")
    assert sentences[1].startswith("EMAIL_URL: no connection to the mail server (SMTP AUTH")


def test_each_server_that_does_not_answer_is_named(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    database, mail = "postgres://user:secret@127.0.0.1:9/name", "smtp://user:secret@127.0.0.1:9"
    sentences = refused_by_the_doctor(settings, database, mail)
    assert [line.split(":")[0] for line in sentences] == ["DATABASE_URL", "EMAIL_URL"]
    assert "secret" not in str(sentences)


def damaged_database(path):
    """A database file that others may read, with a page of bytes that are none of SQLite's."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE words (word text)")
        file.execute("CREATE INDEX by_word ON words (word)")
        file.executemany("INSERT INTO words VALUES (?)", [[f"word {n}"] for n in range(2_000)])
        file.commit()
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096)


def test_what_the_database_file_a_public_site_and_its_mail_provider_lack_is_reported(tmp_path):
    path = tmp_path / "site.sqlite3"
    damaged_database(path)
    more = {"SITE_URL": "http://ship.example", "ALLOWED_HOSTS": "127.0.0.1"}
    status, sentences = doctor(f"sqlite:///{path}", MAIL_PROVIDER="mailgun", **more)
    assert (status, len(sentences)) == (1, 6)
    for start in (
        "The database's file is damaged (",
        "MAIL_FROM is verdicts@localhost: give an address that the mail server may send for.",
        f"{path} is not private: chmod 600 {path}",
        "ANYMAIL: You must set ANYMAIL = {'MAILGUN_API_KEY': ...} or ANYMAIL_MAILGUN_API_KEY or"
        " MAILGUN_API_KEY in your Django settings.",
    ):
        assert [line for line in sentences if line.startswith(start)], start
    assert any("Set ALLOWED_HOSTS=ship.example" in line for line in sentences)


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        ("worker_rlimit_nofile 20000;", 0),
        ("worker_rlimit_nofile 1024;", 1),
        ("# worker_rlimit_nofile 20000;", 1),
    ],
)
def test_too_few_connections_or_files_of_nginx_are_reported(tmp_path, monkeypatch, files, missing):
    monkeypatch.setattr(server_checks, "NGINX_CONF", tmp_path / "nginx.conf")
    assert list(server_checks.nginx()) == [], "another nginx, or none"
    (tmp_path / "shipskip").mkdir()
    for events, faults in {
        "worker_connections 768;": 1,
        "# worker_connections 8192;": 1,
        "": 1,
        "multi_accept on; worker_connections 8192;": 0,
    }.items():
        (tmp_path / "nginx.conf").write_text(f"{files}\nevents {{\n  {events}\n}}\n")
        assert len(list(server_checks.nginx())) == faults + missing, events


@pytest.mark.parametrize(
    ("url", "hosts", "proxies", "told"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", "", ["I001"]),
        ("https://ship.example", "ship.example", "", ["I002"]),
        ("http://ship.example", "ship.example", "::/0", ["W001", "W004"]),
        ("https://ship.example", "127.0.0.1", "10.0.0.1,0.0.0.0/0", ["W002", "W004"]),
        ("https://ship.example", "*", "127.0.0.1", ["W003"]),
    ],
)
def test_the_deployment_check_names_what_a_public_site_needs(
    settings, monkeypatch, url, hosts, proxies, told
):
    read = settings_with(monkeypatch, SITE_URL=url, ALLOWED_HOSTS=hosts, TRUSTED_PROXIES=proxies)
    for name in ("SITE_URL", "SECURE_SITE", "ALLOWED_HOSTS", "TRUSTED_PROXIES"):
        setattr(settings, name, read[name])
    found = [*checks.public_address(None), *checks.nothing_for_everybody(None)]
    assert [each.id for each in found] == [f"shipskip.{code}" for code in told]
    is_secure = url.startswith("https:")  # also where a proxy in front rewrites Host
    assert read["CSRF_TRUSTED_ORIGINS"] == ([url] if is_secure else [])


def test_a_public_site_without_proxy_and_new_backups_is_told_so_and_may_lack_mail(
    settings, tmp_path
):
    backup = tmp_path / "shipskip-20260101-000000.zip"
    backup.touch()
    os.utime(backup, (time() - 27 * 3600, time() - 27 * 3600))
    settings.BACKUP_DIR = settings.EMAIL_FILE_PATH = settings.VAR_DIR = tmp_path
    settings.EMAIL_BACKEND = "shipskip.newsletter.delivery.mail_files.EmailBackend"
    settings.SITE_URL, settings.SECURE_SITE = "https://ship.example", True
    sentences = [*server_checks.proxies(), *server_checks.mail(), *running_checks.backups()]
    assert [" ".join(line.split()[:3]) for line in sentences] == [
        "TRUSTED_PROXIES is empty,",
        "The newest backup",
    ]
    assert sentences[1] == "The newest backup is 27 hours old: see `manage.py nightly`."
    assert [note[:19] for note in operator_notes.notes()] == ["No mail is sent, be"]


def test_a_newer_release_of_the_repository_of_the_site_is_told(settings, tmp_path, monkeypatch):
    source, site = tmp_path / "source", tmp_path / "site"
    git = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-C", str(source))
    ran("git", "init", "--quiet", str(source))
    ran(*git, "commit", "--quiet", "--allow-empty", "--message=First")
    ran("git", "clone", "--quiet", str(source), str(site))
    settings.VAR_DIR = tmp_path
    assert operator_notes.look_for_release() is None
    assert not (tmp_path / "newest_release").exists(), "a checkout asks nobody"
    monkeypatch.setattr(operator_notes, "BASE_DIR", site / "releases/1.0.0")
    monkeypatch.setattr(operator_notes, "DATA_DIR", site)
    for tags, told in {
        (): [],
        ("v0.9.0", "version-100", "v100.0.0-rc1"): [],
        ("v9.9.0", "v10.0.0"): [f"A newer release exists: 10.0.0. This site runs {__version__}."],
    }.items():
        for tag in tags:
            ran(*git, "tag", tag)
        assert operator_notes.look_for_release() is None
        assert list(operator_notes.notes()) == told
    shutil.rmtree(source)
    assert "could not be asked for newer releases" in (operator_notes.look_for_release() or "")


def said(*options: str) -> str:
    """What the doctor says of the suite's own site."""
    printed = StringIO()
    try:
        call_command("doctor", *options, stdout=printed)
    except CommandError as error:
        return f"{printed.getvalue()}{error}"
    return printed.getvalue()


@pytest.mark.django_db
def test_jobs_are_told_unless_before_an_upgrade_and_a_full_disk(monkeypatch):
    now = timezone.now()
    JobRun.objects.begin("work", now - timedelta(days=1))
    JobRun.objects.begin("nightly", now)
    JobRun.objects.succeed("nightly", now, 2.5)
    late = "The job work is late: it should run every five minutes."
    assert late in said()
    assert f"Nightly: last done {now:%Y-%m-%d %H:%M} UTC, 2.5 s." in said()
    assert late not in said("--no-jobs")
    usage = shutil.disk_usage("/")._replace(free=5_000_000)  # the real one changes between calls
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    assert "Only 5 MB are free on the disk of " in said("--no-jobs")


def test_too_many_workers_for_postgresql_are_told(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    monkeypatch.setenv("WORKERS", "12")
    assert list(server_checks.connections(106)) == []
    (told,) = server_checks.connections(97)
    assert "12 workers open up to 96 connections" in told
    assert "set max_connections to 116 or more" in told


@pytest.mark.parametrize(
    ("version", "told"),
    [("16.4", "older than PostgreSQL 17"), ("17.0", ""), (None, "pg_dump is missing")],
)
def test_a_pg_dump_that_cannot_make_backups_is_told(tmp_path, monkeypatch, version, told):
    if version:
        program = tmp_path / "pg_dump"
        program.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version} (Debian)'\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin" if version else str(tmp_path))
    sentences = list(server_checks.pg_dump(17))
    assert len(sentences) == bool(told)
    assert told in "".join(sentences)


def test_backups_of_another_user_are_told(settings, tmp_path, monkeypatch):
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.BACKUP_DIR.mkdir()
    assert list(running_checks.backups()) == []
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    (told,) = running_checks.backups()
    assert f"belongs to user {owner}" in told
