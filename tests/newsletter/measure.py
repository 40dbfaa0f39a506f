"""Measure speed and memory of sending an issue: `python -m tests.newsletter.measure`.

Uses its own database (SQLite unless DATABASE_URL names an empty one) and a mail server on
127.0.0.1. For speed, `--readers` mails are sent; for memory, a snapshot with `--frozen` recipients
is created, and some of their mails are sent.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import django


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=2_000)
    parser.add_argument("--frozen", type=int, default=100_000)
    options = parser.parse_args()
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{tempfile.mkdtemp()}/db.sqlite3")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    measure(options.readers, options.frozen)


def measure(readers: int, frozen: int) -> None:
    """Send to `readers`; then snapshot `frozen` recipients, and send to as many of them."""
    from django.utils import timezone

    from shipskip.newsletter.models import Delivery
    from tests import factories as make
    from tests.newsletter.sender_processes import subscribers

    subscribers(readers)
    make.issue(scheduled_at=make.PUBLISHED, date="2026-05-01")
    send("mails")
    Delivery.objects.all().delete()
    subscribers(frozen - readers, at="crowd.example")
    issue = make.issue(scheduled_at=make.PUBLISHED, date="2026-05-09")
    before, began = getrusage(RUSAGE_SELF).ru_maxrss, time.monotonic()
    make.frozen(issue, timezone.now())
    seconds, more = time.monotonic() - began, (getrusage(RUSAGE_SELF).ru_maxrss - before) // 1024
    print(f"{frozen:,} recipients in a snapshot in {seconds:.1f} s; {more} MB more")
    # Most mails are sent already: the sender has to find the waiting rows among all.
    rest = Delivery.objects.order_by("-pk").values_list("pk", flat=True)[readers]
    Delivery.objects.filter(pk__lt=rest).update(state="sent")
    send("of them sent")


def send(what: str) -> None:
    from tests.newsletter.smtp_server import running

    with running() as server:
        own = {"EMAIL_URL": f"smtp://127.0.0.1:{server.port}", "MAILS_PER_SECOND": "0"}
        words, began = [sys.executable, "manage.py", "newsletter", "--once"], time.monotonic()
        subprocess.run(words, env=os.environ | own, check=True)
        seconds = time.monotonic() - began
        megabytes = getrusage(RUSAGE_CHILDREN).ru_maxrss // 1024
        assert max(server.accepted.values()) == 1
        print(f"{len(server.accepted):,} {what} in {seconds:.1f} s; at most {megabytes} MB")


if __name__ == "__main__":
    main()
