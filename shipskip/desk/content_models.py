"""The content models (tools, takes, comparisons) as the first page of the desk lists them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse

from comparisons.models import Comparison, ComparisonQuerySet
from reviews.models import Reviewer, Take, TakeQuerySet
from shipskip.editing.history_entries import Version
from tools.models import Tool, ToolQuerySet

Rows = ToolQuerySet | TakeQuerySet | ComparisonQuerySet


@dataclass(frozen=True)
class RowName:
    """The parts of a row's name: its tools in order (None for a deleted one) and reviewer."""

    tools: Sequence[Tool | None]
    reviewer: Reviewer | None = None


@dataclass(frozen=True)
class ContentModel:
    """One of these models, with what is needed to list and name its rows."""

    model: type[Tool | Take | Comparison]
    rows: Callable[[], Rows]
    """Returns the rows that are not deleted."""
    parts: Sequence[str]
    """The relations that make up a row's name; empty for a tool."""

    @property
    def label(self) -> str:
        """The model's name: `Tool`."""
        return str(self.model._meta.verbose_name).capitalize()

    @property
    def label_plural(self) -> str:
        """The model's plural name: `Tools`."""
        return str(self.model._meta.verbose_name_plural).capitalize()

    def named_rows(self) -> Rows:
        """The rows with the relations of their names, in one query."""
        return self.rows().select_related(*self.parts) if self.parts else self.rows()

    def name(self, row: Version) -> RowName:
        """The name of a row or version."""
        tools = [getattr(row, part) for part in self.parts if part != "reviewer"]
        reviewer = row.reviewer if "reviewer" in self.parts else None
        return RowName(tools or [row], reviewer)

    def url(self, screen: str, *args: int) -> str:
        """The URL of one of its admin pages: `changelist`, `change`, `history`."""
        options = self.model._meta
        return reverse(f"admin:{options.app_label}_{options.model_name}_{screen}", args=args)

    def url_of_state(self, state: str) -> str:
        """The URL of the list of its rows in a state."""
        return f"{self.url('changelist')}?state={state}"

    def may_be_seen_by(self, user: User | AnonymousUser) -> bool:
        """Whether a user may view its rows."""
        options = self.model._meta
        return bool(user.has_perm(f"{options.app_label}.view_{options.model_name}"))


CONTENT_MODELS = (
    ContentModel(Tool, Tool.objects.all, ()),
    ContentModel(Take, Take.objects.on_existing_tools, ("reviewer", "tool")),
    ContentModel(Comparison, Comparison.objects.of_existing_tools, ("first", "second")),
)
