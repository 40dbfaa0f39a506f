"""How fast an issue goes out, and in how much memory: `python -m tests.newsletter.measure`.

On a database of its own (SQLite unless DATABASE_URL names an empty one), through a mail server on
127.0.0.1: `--readers` mails are sent for the speed, by one sender and by two; `--frozen`
recipients are fixed, and some of their mails sent, for the memory.
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
call_command("send_newsletter", "--once")
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"{time.monotonic() - began:.2f} {base // 1024} {most // 1024}", file=sys.stderr)
"""


def sender(port: int) -> "subprocess.Popen[str]":
    """A sender in a process of its own, which ends with seconds, and megabytes before and after."""
    env = os.environ | {"EMAIL_URL": f"smtp://127.0.0.1:{port}", "MAILS_PER_SECOND": "0"}
    words = [sys.executable, "-c", CHILD]
    return subprocess.Popen(
        words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def ended(process: "subprocess.Popen[str]") -> tuple[float, int, int]:
    """Its seconds, and its megabytes before and after."""
    _, said = process.communicate()
    assert process.returncode == 0, said
    seconds, before, after = said.split()[-3:]
    return float(seconds), int(before), int(after)


def main() -> None:
    """Measure, and say what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=2_000)
    parser.add_argument("--frozen", type=int, default=100_000)
    asked = parser.parse_args()
    folder = tempfile.mkdtemp()
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{Path(folder) / 'db.sqlite3'}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    measure(asked.readers, asked.frozen)


def measure(readers: int, frozen: int) -> None:
    """Send to so many readers, by one sender and by two; then fix so many recipients."""
    from django.utils import timezone

    from shipskip.newsletter.models import Delivery, Issue, Subscriber
    from tests import factories as make
    from tests.newsletter.killing_server import killing_server
    from tests.newsletter.sending_site import subscribers

    subscribers(readers)
    with killing_server() as server:
        for number in (1, 2):
            make.issue(scheduled_at=make.PUBLISHED, date=f"2026-05-0{number}")
            server.accepted.clear()
            began = time.monotonic()
            runs = [ended(process) for process in [sender(server.port) for _ in range(number)]]
            slowest = max(seconds for seconds, _, _ in runs)
            assert len(server.accepted) == readers
            assert max(server.accepted.values()) == 1
            said = f"{readers:,} mails, {number} sender(s): {slowest:.1f} s, "
            said += f"{readers / slowest:.0f} mails a second; memory "
            said += ", ".join(f"{before} to {after} MB" for _, before, after in runs)
            print(f"{said} ({time.monotonic() - began:.1f} s with the start)", flush=True)
    Delivery.objects.all().delete()
    subscribers(frozen - readers, at="crowd.example")
    assert Subscriber.objects.count() == frozen
    issue = make.issue(scheduled_at=make.PUBLISHED, date="2026-05-09")
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    make.frozen(issue, timezone.now())
    took = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{frozen:,} recipients fixed in {took:.1f} s; {(after - before) // 1024} MB more")
    # All but some are dealt with already: the sender still has to find its rows among all.
    rest = Delivery.objects.order_by("-pk").values_list("pk", flat=True)[readers]
    Delivery.objects.filter(pk__lt=rest).update(state="sent")
    with killing_server() as server:
        seconds, small, most = ended(sender(server.port))
        sent = len(server.accepted)
    print(f"{sent:,} of them sent at {sent / seconds:.0f} a second; memory {small} to {most} MB")
    assert Issue.objects.get(pk=issue.pk).accepted == frozen


if __name__ == "__main__":
    main()
