"""`recount`: rebuilds tallies from votes, or only compares them."""

import sys
from collections.abc import Iterable

from django.core.management.base import BaseCommand, CommandParser

from reviews import tallies
from tools.models import Tool


class Command(BaseCommand):
    """Rebuild or verify every tool's tally."""

    help = (
        "Rebuilds the tally of each tool from its votes; --check only compares and exits 1 on a "
        "difference."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--check` writes nothing."""
        parser.add_argument(
            "--check", action="store_true", help="compare only, exit 1 on a difference"
        )

    def handle(self, *args: object, **options: object) -> None:
        """List each tool that differs from its votes; correct it unless `--check`."""
        correct = not options["check"]
        drifts = tallies.drifts()
        names = _slugs(drift.tool_id for drift in drifts)
        for drift in drifts:
            self.stdout.write(
                f"{names[drift.tool_id]}: "
                f"tally {drift.stored.ship} ship / {drift.stored.skip} skip, "
                f"votes {drift.counted.ship} ship / {drift.counted.skip} skip"
            )
        if not drifts:
            self.stdout.write("Every tally agrees with its votes.")
        elif correct:
            for drift in drifts:
                tallies.recount(drift.tool_id)
            self.stdout.write(f"Tallies corrected: {len(drifts)}.")
        else:
            self.stderr.write(
                f"{len(drifts)} tallies differ from their votes; nothing was written."
            )
            sys.exit(1)


def _slugs(keys: Iterable[int]) -> dict[int, str]:
    """The slugs of these tools, also of deleted ones, by primary key."""
    rows = Tool.everything.filter(pk__in=list(keys)).order_by()
    return dict(rows.values_list("pk", "slug"))
