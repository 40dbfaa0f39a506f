"""`make_issue`: compose the week's issue by rule, as a draft or scheduled."""

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandParser
from django.db import IntegrityError
from django.utils import timezone

from shipskip.newsletter.issues.composing import OpenIssueError, compose, window_start
from shipskip.newsletter.issues.scheduling import schedule


class Command(BaseCommand):
    """Compose the next issue from what was published since the last; run weekly by cron."""

    help = "Makes the next issue from what was published since the last one; none if nothing was."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option that schedules the issue."""
        parser.add_argument(
            "--send-in",
            metavar="HOURS",
            type=float,
            help="schedule it for this many hours from now, until when an editor can change or "
            "cancel it; without this option it is a draft until an editor schedules it",
        )

    def handle(self, *args: object, send_in: float | None, **options: object) -> None:
        """Compose the issue and print the result; an open issue is not changed."""
        now = timezone.now()
        try:
            issue = compose(now)
        except OpenIssueError as error:
            self.stdout.write(f"{error}: nothing was made.")
            return
        except IntegrityError:
            self.stdout.write("Another run made the issue at the same time.")
            return
        if issue is None:
            self.stdout.write(
                f"No new and no changed verdicts since {window_start(now):%Y-%m-%d %H:%M} UTC: "
                "no issue is made."
            )
            return
        self.stdout.write(f"{issue}: “{issue.subject}”, {issue.entries.count()} entries.")
        if send_in is None:
            self.stdout.write("It is a draft; an editor schedules it in the admin.")
            return
        moment = (now + timedelta(hours=send_in)).replace(microsecond=0)
        schedule(issue, moment)
        self.stdout.write(f"It is sent at {moment:%Y-%m-%d %H:%M} UTC unless an editor cancels it.")
