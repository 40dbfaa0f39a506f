"""`make_issue`: the week's issue by rule, as a draft or scheduled."""

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandParser
from django.db import IntegrityError
from django.utils import timezone

from shipskip.newsletter.issues.composing import OpenIssueError, compose, window_start
from shipskip.newsletter.issues.schedule import schedule


class Command(BaseCommand):
    """Compose the next issue from what was published since the last; for cron, once a week."""

    help = "Makes the next issue of what was published since the last. An empty week makes none."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether somebody has to schedule it."""
        parser.add_argument(
            "--send-in",
            metavar="HOURS",
            type=float,
            help="schedule it for so many hours from now, in which an editor may change or cancel "
            "it; without this it stays a draft until an editor schedules it",
        )

    def handle(self, *args: object, send_in: float | None, **options: object) -> None:
        """Compose, and say what came of it; an open issue is left alone."""
        now = timezone.now()
        try:
            issue = compose(now)
        except OpenIssueError as fault:
            self.stdout.write(f"{fault}: nothing was made.")
            return
        except IntegrityError:
            self.stdout.write("Another run made the issue meanwhile.")
            return
        if issue is None:
            self.stdout.write(
                f"No new and no changed verdicts since {window_start(now):%Y-%m-%d %H:%M} UTC: "
                "no issue, and nobody gets a mail."
            )
            return
        self.stdout.write(f"{issue}: “{issue.subject}”, {issue.entries.count()} entries.")
        if send_in is None:
            self.stdout.write("It is a draft: an editor schedules it at the desk.")
            return
        moment = (now + timedelta(hours=send_in)).replace(microsecond=0)
        schedule(issue, moment)
        self.stdout.write(f"It goes out at {moment:%Y-%m-%d %H:%M} UTC, unless an editor objects.")
