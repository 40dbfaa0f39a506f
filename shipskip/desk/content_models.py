"""The content models (tools, takes, comparisons) as the first page of the desk lists them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse

from comparisons.models import Comparison, ComparisonQuerySet
from reviews.models import Reviewer, Take, TakeQuerySet
from shipskip.editing.history_entries import Version
from tools.models import LINK_FIELDS, Tool, ToolQuerySet

ContentQuerySet = ToolQuerySet | TakeQuerySet | ComparisonQuerySet


@dataclass(frozen=True)
class RowName:
    """The parts of a row's name: its tools in order (None for a deleted one) and reviewer."""

    tools: Sequence[Tool | None]
    reviewer: Reviewer | None = None


@dataclass(frozen=True)
class ContentModel:
    """One of these models, with the data to list and name its rows."""

    model: type[Tool | Take | Comparison]
    rows: Callable[[], ContentQuerySet]
    """Returns the rows that are not deleted."""
    parts: Sequence[str] = ()
    """The relations that make up a row's name; empty for a tool and a comparison."""

    @property
    def label(self) -> str:
        """The model's name: `Tool`."""
        return str(self.model._meta.verbose_name).capitalize()

    @property
    def label_plural(self) -> str:
        """The model's plural name: `Tools`."""
        return str(self.model._meta.verbose_name_plural).capitalize()

    def named_rows(self) -> ContentQuerySet:
        """The rows, with the related rows that their names need."""
        rows = self.rows()
        if isinstance(rows, ComparisonQuerySet):
            return rows.with_tools(*LINK_FIELDS)
        return rows.select_related(*self.parts) if self.parts else rows

    def name(self, row: Version, tools: Mapping[int, Tool] | None = None) -> RowName:
        """The name of a row, or of a version; `tools` are those of a comparison's version."""
        if self.model is Comparison:
            return RowName(row.tools if tools is None else [tools.get(key) for key in row.tool_ids])
        return RowName([row.tool], row.reviewer) if self.parts else RowName([row])

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
    ContentModel(Tool, Tool.objects.all),
    ContentModel(Take, Take.objects.on_existing_tools, ("reviewer", "tool")),
    ContentModel(Comparison, Comparison.objects.of_existing_tools),
)
