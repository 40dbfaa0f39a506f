"""Runs the whole suite on every database and in the browser, and reports what could not run.

`python -m tests.everything [pytest arguments]`. Exit status 0 when all that ran passed; with
`CI=true` whatever could not run is a failure too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg
import pytest

PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
RUN_ONCE = {
    "does not use the database": (
        *("house_rules.py", "test_source_rules.py", "test_template_rules.py"),
        *("test_bundled.py", "web/test_assets.py"),
        *("web/test_filters.py", "web/test_markdown.py", "web/test_network.py"),
        *("web/test_same_origin.py", "web/test_slugs.py", "operations/test_sentry.py"),
        *("comparisons/test_addresses.py", "comparisons/test_answer.py"),
        *("desk/test_diffs.py", "catalogue/test_entries.py"),
        *("newsletter/test_mail_addresses.py", "newsletter/test_input_through_forms.py"),
        *("reviews/test_panel_tags.py", "reviews/test_scoring.py"),
        *("reviews/test_score_strip.py", "web/test_first_sentence.py", "web/test_days.py"),
        *("tools/test_fact_values.py", "web/test_slug_proposals.py", "web/test_linear_time.py"),
        "tools/test_one_writer.py",
    ),
    "is about a process and a signal; newsletter/test_two_senders.py sends on both": (
        "newsletter/test_stopped_sender.py",
    ),
    "creates its own database": (
        *("html", "observatory"),
        *("operations/test_doctor.py", "operations/test_file_modes.py"),
        "catalogue/test_killed_load.py",
    ),
    "reads a file and refuses it before a row is written; catalogue/test_facts.py writes on both": (
        *("catalogue/test_faults.py", "catalogue/test_unreadable_files.py"),
        *("catalogue/test_takes_csv_faults.py", "catalogue/test_fact_faults.py"),
    ),
    "takes minutes, and reads and writes as catalogue/test_dumping.py does on both": (
        "catalogue/test_random_catalogues.py",
    ),
    "is about what commands print; catalogue/test_loading.py and test_dumping.py run on both": (
        "catalogue/test_commands.py",
    ),
    "sends what tests/malformed_input sends to both databases": ("home/test_bad_input.py",),
    "repeats limits that other files check on both": (
        *("reviews/test_tally_attacks.py", "newsletter/test_join_attack.py"),
    ),
    "is about the desk's forms; desk/test_saving.py and its neighbours save on both": (
        *("desk/test_publishing.py", "desk/test_withdrawing.py", "desk/test_tool_and_takes.py"),
        *("newsletter/test_issue_desk.py", "comparisons/test_desk.py"),
        *("desk/test_attributes.py", "desk/test_reason_corrections.py"),
        "desk/test_content_forms.py",
    ),
    "is about the screen of an upload; tests/catalogue loads on both": (
        *("desk/test_catalogue_uploads.py", "desk/test_takes_csv_screen.py"),
        *("desk/test_facts_csv_screen.py", "desk/test_catalogue_screen.py"),
    ),
    "is about the HTML of a page or a mail": (
        *("comparisons/test_preview.py", "tools/test_preview_links.py"),
        *("tools/test_preview.py", "home/test_error_pages.py"),
        *("newsletter/test_issue_mails.py", "home/test_links.py", "home/test_sample.py"),
        *("desk/test_login.py", "desk/test_roles.py"),
        *("comparisons/test_detail.py", "content/test_side_by_side.py"),
        *("comparisons/test_decision.py", "tools/test_tool_facts.py"),
        *("reviews/test_vote_page.py", "reviews/test_vote_fragment.py", "web/test_names.py"),
    ),
    "shows what other files load on both: each query of its pages was found in them too": (
        *("content/test_matrix.py", "comparisons/test_own_panel.py"),
        *("comparisons/test_picker.py", "comparisons/test_suggest.py"),
        *("desk/test_public_record.py", "desk/test_rights.py", "desk/test_states.py"),
        *("home/test_home.py", "home/test_methodology.py", "home/test_query_counts.py"),
        *("reviews/test_me.py", "reviews/test_reviewers.py"),
        *("reviews/test_reviewer_profile.py", "tools/test_bookmarks_list.py"),
        *("reviews/test_reviewer.py", "comparisons/test_many_tools.py", "tools/test_category.py"),
        *("tools/test_own_panel.py", "tools/test_take_changes.py", "tools/test_tool_detail.py"),
        "tools/test_tool_list.py",
    ),
    "is about headers, cookies, the page cache, the log or the metrics": (
        *("web/test_revalidation.py", "desk/test_draft_recovery.py"),
        *("web/test_cache_control.py", "web/test_visitor.py", "web/test_security_headers.py"),
        *("operations/test_logs.py", "operations/test_metrics.py"),
        *("malformed_input/test_headers.py", "malformed_input/test_completeness.py"),
        *("page_cache/test_answers.py", "page_cache/test_keys.py"),
        "page_cache/test_two_visitors.py",
    ),
}
"""Files and folders that run once, on SQLite, by reason. A file with SQL, locks, transactions,
constraints, triggers, search or dates in a query does not belong here: it runs on both.
"""
SERVERS = ("tests/deploy", "tests/newsletter/test_killed_sender.py")
"""The tests that start servers, and the test that kills senders. They run once, on PostgreSQL if
it is available, in a separate process beside the suite on SQLite.
"""
BROWSER = "tests/browser"
LEFT_OUT = [f"--ignore={path}" for path in (*SERVERS, BROWSER)]
TWO = ("-n", "2")
WINDOWS = ("-n", "2", "--dist", "loadfile")
"""The tests of one file run in one process, because they share a window of the browser."""
FONTS = Path("/usr/share/fonts/truetype/liberation")
"""As wide as the fonts of most phones and desktops. The browser's package alone brings none but
DejaVu, which is wider: pages then need more lines and screens than readers see.
"""
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


def install(package: str, what: str) -> None:
    """Install this package for `what` when root on Debian."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print(f"Installing {package} for {what} …", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        check=False,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )


def ready_program(program: str, package: str, what: str) -> str | None:
    """Why `what` cannot run without that program, or None; installs it when root on Debian."""
    if not shutil.which(program, path=PATH):
        install(package, what)
    found = shutil.which(program, path=PATH)
    return None if found else f"{program} is not installed (package {package})"


def ready_chromium() -> str | None:
    """Why the browser tests cannot run, or None. Chromium itself runs them where its shell is
    missing, in twice the processor time.
    """
    shell = "chromium-headless-shell"
    reason = ready_program(shell, shell, "the browser tests")
    if not FONTS.exists():
        install("fonts-liberation", "the browser tests")
    return None if shutil.which("chromium", path=PATH) else reason


def ready_nginx() -> str | None:
    """Why the tests of nginx cannot run, or None."""
    return ready_program("nginx", "nginx", "the tests of nginx")


def ready_postgres() -> str | None:
    """Why the suite cannot run on PostgreSQL, or None."""
    try:
        psycopg.connect(POSTGRES, connect_timeout=30).close()
    except psycopg.Error as error:
        return f"no PostgreSQL at TEST_POSTGRES_URL: {str(error).splitlines()[0]}"
    return None


def ignored_on_postgres() -> list[str]:
    """The arguments that leave out what runs once. A missing path is an error here, because pytest
    ignores it.
    """
    paths = [Path("tests") / name for names in RUN_ONCE.values() for name in names]
    if missing_paths := [str(path) for path in paths if not path.exists()]:
        raise SystemExit(f"RUN_ONCE of tests/everything.py names missing paths: {missing_paths}")
    return [f"--ignore={path}" for path in paths]


@dataclass(frozen=True)
class Suite:
    """One run of pytest, on one database."""

    title: str
    database_url: str
    paths: tuple[str, ...]
    arguments: tuple[str, ...] = ()

    def run(self, output: IO[str] | None = None) -> int:
        """Run it, printing to `output` or to the terminal; pytest's exit status."""
        print(f"\n=== {self.title} ===", file=output, flush=True)
        shown = ("-rs", "--durations", "10")
        return subprocess.run(
            [sys.executable, "-m", "pytest", *self.paths, *shown, *self.arguments, *sys.argv[1:]],
            env=os.environ | {"DATABASE_URL": self.database_url},
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            check=False,
        ).returncode


def run_in_turn(suites: Iterable[Suite], output: IO[str] | None = None) -> list[str]:
    """Run these suites one after another; the titles of those that failed."""
    failed = []
    for suite in suites:
        status = suite.run(output)
        if status != pytest.ExitCode.OK:
            failed.append(suite.title)
        if status == pytest.ExitCode.INTERRUPTED:
            break
    return failed


def run_beside(first: Iterable[Suite], second: Iterable[Suite]) -> list[str]:
    """Run both lists of suites at the same time, and print at the end what the second printed; the
    titles of those that failed. One list alone would leave a core idle while it waits for servers.
    """
    with tempfile.TemporaryFile("w+") as output, ThreadPoolExecutor(1) as thread:
        others = thread.submit(run_in_turn, second, output)
        failed = run_in_turn(first)
        failed += others.result()
        output.seek(0)
        print(output.read(), flush=True)
    return failed


def main() -> int:
    """Run all suites; the process's exit status."""
    missing: list[str] = []
    once = ignored_on_postgres()
    if reason := ready_nginx():
        missing.append(f"the tests of nginx: {reason}")
    if no_postgres := ready_postgres():
        missing.append(f"the suite on PostgreSQL: {no_postgres}")
    if no_chromium := ready_chromium():
        missing.append(f"the browser tests: {no_chromium}")
    with tempfile.TemporaryDirectory() as folder:
        sqlite = f"sqlite:///{Path(folder) / 'suite.sqlite3'}"
        windows = f"sqlite:///{Path(folder) / 'browser.sqlite3'}"
        own = f"sqlite:///{Path(folder) / 'servers.sqlite3'}" if no_postgres else POSTGRES
        most = (*TWO, *LEFT_OUT)
        first = [Suite("SQLite", sqlite, ("tests",), most)]
        second = [Suite("Servers", own, SERVERS)]
        if not no_postgres:
            first.append(Suite("PostgreSQL", POSTGRES, ("tests",), (*most, *once)))
        if not no_chromium:
            second.append(Suite("Chromium, on SQLite", windows, (BROWSER,), WINDOWS))
        failed = run_beside(first, second)
    print("\n=== In short ===")
    for line in failed:
        print(f"FAILED   {line}")
    for line in missing:
        print(f"NOT RUN  {line}")
    if not failed and not missing:
        print("Everything ran and passed.")
    return 1 if failed or (missing and os.environ.get("CI") == "true") else 0


if __name__ == "__main__":
    sys.exit(main())
