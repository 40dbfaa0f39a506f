"""What editors write, tools, takes and comparisons, as the first page finds and names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse

from comparisons.models import Comparison, ComparisonQuerySet
from reviews.models import Reviewer, Take, TakeQuerySet
from shipskip.editing.history_entries import Record
from tools.models import Tool, ToolQuerySet

Rows = ToolQuerySet | TakeQuerySet | ComparisonQuerySet


@dataclass(frozen=True)
class Named:
    """How a row is named: its tools in order (None for one that is gone) and its reviewer."""

    tools: Sequence[Tool | None]
    reviewer: Reviewer | None = None


@dataclass(frozen=True)
class Kind:
    """One of the three, with what it takes to list its rows."""

    model: type[Tool | Take | Comparison]
    rows: Callable[[], Rows]
    """Those that were not deleted."""
    parts: Sequence[str]
    """The relations by which a row is named; empty for a tool, which names itself."""

    @property
    def one(self) -> str:
        """Its noun: `Tool`."""
        return str(self.model._meta.verbose_name).capitalize()

    @property
    def many(self) -> str:
        """Its noun for several: `Tools`."""
        return str(self.model._meta.verbose_name_plural).capitalize()

    def named_rows(self) -> Rows:
        """The rows with what names them, in one query."""
        return self.rows().select_related(*self.parts) if self.parts else self.rows()

    def name(self, row: Record) -> Named:
        """The name of a row, or of a version of one."""
        tools = [getattr(row, part) for part in self.parts if part != "reviewer"]
        reviewer = row.reviewer if "reviewer" in self.parts else None
        return Named(tools or [row], reviewer)

    def url(self, screen: str, *args: int) -> str:
        """The address of one of its screens: `changelist`, `change`, `history`."""
        options = self.model._meta
        return reverse(f"admin:{options.app_label}_{options.model_name}_{screen}", args=args)

    def url_of_state(self, state: str) -> str:
        """The list of its rows in a state."""
        return f"{self.url('changelist')}?state={state}"

    def may_be_seen_by(self, user: User | AnonymousUser) -> bool:
        """Whether a user may look at its rows."""
        options = self.model._meta
        return bool(user.has_perm(f"{options.app_label}.view_{options.model_name}"))


KINDS = (
    Kind(Tool, Tool.objects.all, ()),
    Kind(Take, Take.objects.on_existing_tools, ("reviewer", "tool")),
    Kind(Comparison, Comparison.objects.of_existing_tools, ("first", "second")),
)
