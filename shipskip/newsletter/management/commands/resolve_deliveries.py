"""`resolve_deliveries`: list the mails in state *unknown*, and resolve them."""

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from shipskip.newsletter.models import Delivery, DeliveryQuerySet, DeliveryState

ACTIONS = {
    "sent": (DeliveryState.SENT, "an operator found it sent"),
    "again": (DeliveryState.WAITING, "an operator had it sent again"),
    "drop": (DeliveryState.SKIPPED, "an operator dropped it"),
}
"""What an operator may decide of a mail: its new state, and the reason that is stored with it."""


class Command(BaseCommand):
    """Without options, list the mails; with an option, resolve the given ones."""

    help = (
        "Lists the mails that the mail server may or may not have accepted. Find the message id in "
        "the mail server's log, then mark which were sent and which to send again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments: which mails, and what to do with them."""
        parser.add_argument("numbers", metavar="NUMBER", nargs="*", type=int, help="as listed")
        parser.add_argument("--all", dest="every", action="store_true", help="every mail listed")
        actions = parser.add_mutually_exclusive_group()
        actions.add_argument("--sent", action="store_true", help="the server accepted them")
        actions.add_argument(
            "--again", action="store_true", help="the server did not accept them: send them again"
        )
        actions.add_argument("--drop", action="store_true", help="not known: do not send them")

    def handle(self, *args: object, numbers: list[int], every: bool, **options: object) -> None:
        """List the mails, or resolve them and print how many."""
        rows = Delivery.objects.unknown()
        action = next((name for name in ACTIONS if options[name]), None)
        if action is None:
            self._list(rows)
            return
        if every == bool(numbers):
            raise CommandError("Give the numbers of the mails, or --all.")
        chosen = rows if every else rows.filter(pk__in=numbers)
        state, reason = ACTIONS[action]
        done = chosen.resolve(state, reason, timezone.now())
        self.stdout.write(f"{done} {'mail' if done == 1 else 'mails'}: {reason}.")
        missing = 0 if every else len(set(numbers)) - done
        if missing:
            raise CommandError(f"{missing} of the numbers are not mails in state unknown.")

    def _list(self, rows: DeliveryQuerySet) -> None:
        listed = rows.select_related("issue", "subscriber").order_by("issue", "pk")
        number = 0
        for row in listed.iterator(chunk_size=1_000):
            number += 1
            started = f"{row.started_at:%Y-%m-%d %H:%M:%S}"
            columns = [
                row.pk,
                row.issue,
                row.subscriber.masked,
                started,
                row.message_id,
                row.reason,
            ]
            self.stdout.write("  ".join(map(str, columns)))
        self.stdout.write(f"{number:,} unknown." if number else "No mail is unknown.")
