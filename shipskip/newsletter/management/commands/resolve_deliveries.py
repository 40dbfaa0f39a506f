"""`resolve_deliveries`: lists the mails that may or may not have gone, and settles them."""

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from shipskip.newsletter.delivery import delivery_resolution
from shipskip.newsletter.models import Delivery, DeliveryQuerySet


class Command(BaseCommand):
    """Without options a list; with one of them each mail named is settled as it says."""

    help = (
        "Lists the mails of which nobody knows whether the server took them. Look for the message "
        "id in the mail server's log, then say which were sent and which are to be sent again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Which mails, and what became of them."""
        parser.add_argument("numbers", metavar="NUMBER", nargs="*", type=int, help="as listed")
        parser.add_argument("--all", dest="every", action="store_true", help="every mail listed")
        acts = parser.add_mutually_exclusive_group()
        acts.add_argument("--sent", action="store_true", help="the server did take them")
        acts.add_argument("--again", action="store_true", help="it did not: send them again")
        acts.add_argument("--drop", action="store_true", help="nobody knows: do not send them")

    def handle(self, *args: object, numbers: list[int], every: bool, **options: object) -> None:
        """List, or settle and say how many."""
        rows = Delivery.objects.unknown()
        act = next((name for name in delivery_resolution.ACTS if options[name]), None)
        if act is None:
            self._list(rows)
            return
        if every == bool(numbers):
            raise CommandError("Name the mails by their numbers, or say --all.")
        chosen = rows if every else rows.filter(pk__in=numbers)
        done = delivery_resolution.resolve(chosen, act, timezone.now())
        self.stdout.write(
            f"{done} {'mail' if done == 1 else 'mails'}: {delivery_resolution.ACTS[act]}."
        )
        missing = 0 if every else len(set(numbers)) - done
        if missing:
            raise CommandError(f"{missing} of the numbers name no mail that is unknown.")

    def _list(self, rows: DeliveryQuerySet) -> None:
        listed = rows.select_related("issue", "subscriber").order_by("issue", "pk")
        number = 0
        for row in listed.iterator(chunk_size=1_000):
            number += 1
            began = f"{row.started_at:%Y-%m-%d %H:%M:%S}"
            words = [row.pk, row.issue, row.subscriber.masked, began, row.message_id, row.reason]
            self.stdout.write("  ".join(map(str, words)))
        self.stdout.write(f"{number:,} unknown." if number else "No mail is unknown.")
