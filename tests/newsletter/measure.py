"""Measure speed and memory of sending an issue: `python -m tests.newsletter.measure`.

Uses its own database (SQLite unless DATABASE_URL names an empty one) and a mail server on
127.0.0.1. For speed, `--readers` mails are sent; for memory, a snapshot with `--frozen` recipients
is created, and some of their mails are sent.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHILD = """
import resource, sys, time
import django
django.setup()
from django.core.management import call_command
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.monotonic()
call_command("newsletter", "--once")
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"{time.monotonic() - began:.2f} {base // 1024} {most // 1024}", file=sys.stderr)
"""


def sender(port: int) -> "subprocess.Popen[str]":
    """Start a sender process; it prints seconds, and megabytes before and after."""
    env = os.environ | {"EMAIL_URL": f"smtp://127.0.0.1:{port}", "MAILS_PER_SECOND": "0"}
    words = [sys.executable, "-c", CHILD]
    return subprocess.Popen(
        words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def result_of(process: "subprocess.Popen[str]") -> tuple[float, int, int]:
    """Wait for a sender; its seconds, and its megabytes before and after."""
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    seconds, before, after = errors.split()[-3:]
    return float(seconds), int(before), int(after)


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=2_000)
    parser.add_argument("--frozen", type=int, default=100_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{Path(folder) / 'db.sqlite3'}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    measure(options.readers, options.frozen)


def measure(readers: int, frozen: int) -> None:
    """Send to `readers`; then snapshot `frozen` recipients."""
    from django.utils import timezone

    from shipskip.newsletter.models import Delivery, Issue, Subscriber
    from tests import factories as make
    from tests.newsletter.sender_processes import subscribers
    from tests.newsletter.smtp_server import running

    subscribers(readers)
    with running() as server:
        make.issue(scheduled_at=make.PUBLISHED, date="2026-05-01")
        seconds, before, after = result_of(sender(server.port))
        assert len(server.accepted) == readers
        assert max(server.accepted.values()) == 1
    print(
        f"{readers:,} mails: {seconds:.1f} s, {readers / seconds:.0f} a second; "
        f"memory {before} to {after} MB",
        flush=True,
    )
    Delivery.objects.all().delete()
    subscribers(frozen - readers, at="crowd.example")
    assert Subscriber.objects.count() == frozen
    issue = make.issue(scheduled_at=make.PUBLISHED, date="2026-05-09")
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    make.frozen(issue, timezone.now())
    took = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{frozen:,} recipients in a snapshot in {took:.1f} s; {(after - before) // 1024} MB more"
    )
    # Most mails are sent already: the sender has to find the waiting rows among all.
    rest = Delivery.objects.order_by("-pk").values_list("pk", flat=True)[readers]
    Delivery.objects.filter(pk__lt=rest).update(state="sent")
    with running() as server:
        seconds, small, most = result_of(sender(server.port))
        sent = len(server.accepted)
    print(f"{sent:,} of them sent at {sent / seconds:.0f} a second; memory {small} to {most} MB")
    assert Issue.objects.get(pk=issue.pk).accepted == frozen


if __name__ == "__main__":
    main()
