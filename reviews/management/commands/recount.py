"""`recount`: rebuilds the tallies from the votes, or checks that they agree."""

import sys

from django.core.management.base import BaseCommand, CommandParser

from reviews import tallies
from tools.models import Tool


class Command(BaseCommand):
    """Rebuild or verify every tool's tally."""

    help = "Rebuilds the tallies from the votes; --check only compares and exits 1 on a difference."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--check` writes nothing."""
        parser.add_argument("--check", action="store_true", help="compare only, exit 1 on drift")

    def handle(self, *args: object, **options: object) -> None:
        """List each tool whose tally differs from its votes; correct it unless `--check`."""
        drifts = tallies.drifts()
        tools = Tool.everything.filter(pk__in=[drift.tool_id for drift in drifts])
        names = {tool.pk: tool.slug for tool in tools}
        for drift in drifts:
            self.stdout.write(
                f"{names[drift.tool_id]}: "
                f"tally {drift.stored.ship} ship / {drift.stored.skip} skip, "
                f"votes {drift.counted.ship} ship / {drift.counted.skip} skip"
            )
        if not drifts:
            self.stdout.write("Every tally agrees with its votes.")
        elif options["check"]:
            self.stderr.write(
                f"{len(drifts)} tallies differ from their votes; nothing was written."
            )
            sys.exit(1)
        else:
            for drift in drifts:
                tallies.recount(drift.tool_id)
            self.stdout.write(f"Tallies corrected: {len(drifts)}.")
