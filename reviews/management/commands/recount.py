"""`recount`: rebuilds tallies from votes and figures from takes, or only compares them."""

import sys
from collections.abc import Iterable

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from reviews import figures, tallies
from tools.models import Tool


class Command(BaseCommand):
    """Rebuild or verify every tool's tally and figures."""

    help = (
        "Rebuilds the tally of each tool from its votes, and the panel's figures from its public "
        "takes; --check only compares and exits 1 on a difference."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--check` writes nothing."""
        parser.add_argument(
            "--check", action="store_true", help="compare only, exit 1 on a difference"
        )

    def handle(self, *args: object, **options: object) -> None:
        """List each tool that differs from its votes or takes; correct it unless `--check`."""
        correct = not options["check"]
        agree = [self._tallies(correct=correct), self._figures(correct=correct)]
        if not (correct or all(agree)):
            sys.exit(1)

    def _tallies(self, *, correct: bool) -> bool:
        """List the tallies that differ; return whether there are none."""
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
        return not drifts

    def _figures(self, *, correct: bool) -> bool:
        """List the panel's figures that differ; return whether there are none."""
        if correct:
            figures.count_all_marked()
        elif waiting := len(figures.tools_to_count(timezone.now())):
            self.stdout.write(f"Tools whose changed takes a server has still to count: {waiting}.")
        found = list(figures.differences(timezone.now(), correct=correct))
        names = _slugs(row.tool_id for row in found)
        for row in found:
            stored = row.stored or "none"
            self.stdout.write(f"{names[row.tool_id]}: figures {stored}; takes {row.counted}")
        if not found:
            self.stdout.write("Every panel figure agrees with its takes.")
        elif correct:
            self.stdout.write(f"Panel figures corrected: {len(found)}.")
        else:
            self.stderr.write(
                f"The figures of {len(found)} tools differ from their takes; nothing was written."
            )
        return not found


def _slugs(keys: Iterable[int]) -> dict[int, str]:
    """The slugs of these tools, also of deleted ones, by primary key."""
    rows = Tool.everything.filter(pk__in=list(keys)).order_by()
    return dict(rows.values_list("pk", "slug"))
