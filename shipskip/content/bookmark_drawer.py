"""The drawer in the head of a page that lists a visitor's bookmarks."""

from collections.abc import Sequence
from dataclasses import dataclass

from comparisons.addresses import MAX_TOOLS, picker_address
from tools.models import Bookmark


@dataclass(frozen=True)
class BookmarkDrawer:
    """A visitor's bookmarks, newest first; the drawer shows as many as can be compared."""

    bookmarks: Sequence[Bookmark]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.bookmarks)

    @property
    def shown(self) -> Sequence[Bookmark]:
        """Those that the drawer shows."""
        return self.bookmarks[:MAX_TOOLS]

    @property
    def has_more(self) -> bool:
        """Whether there are more than it shows."""
        return self.number > MAX_TOOLS

    @property
    def comparison(self) -> str:
        """The picker filled with the shown tools; empty for fewer than two."""
        if self.number < 2:
            return ""
        return picker_address([row.tool.slug for row in self.shown])
