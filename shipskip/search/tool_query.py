"""The public tools that match the filters of a list and its search, for pages and programs."""

from shipskip.content.content import Content
from shipskip.content.own_panel import OwnPanel
from shipskip.content.records import Category
from shipskip.content.selection import Selection, Wanted
from shipskip.content.tool_filters import CONFIRMED_KEY, REPEATABLE_KEYS, ToolsForm
from shipskip.search.documents import category_token, entry_token
from shipskip.search.models import SearchKind
from shipskip.search.searching import Found, Scope, search

MAX_RESULTS = 300
"""Maximum number of search results in a list; if there are more, choices have no counts."""


class ToolQuery:
    """A reader's filters, and the tools that match them; `form.notices` has what was left out."""

    def __init__(
        self,
        content: Content,
        form: ToolsForm,
        own: OwnPanel,
        within: Category | None = None,
    ) -> None:
        self.content, self.form, self.own, self.within = content, form, own, within
        self.chosen = form.validate() | dict(own.parameters)
        self.found = self._search()
        facts, by = form.fact_filters(self.chosen), form.sorted_by(self.chosen)
        self.selection = Selection(
            content,
            Wanted(
                choices={key: self.chosen[key] for key in REPEATABLE_KEYS if key in self.chosen},
                attributes=form.attributes,
                facts=facts,
                only_confirmed=bool(self.chosen[CONFIRMED_KEY]),
                sort=self.chosen["sort"] or "",
                by=by,
                within=within,
                found=self.found.keys(SearchKind.TOOL) if self.found else None,
                weights=own.weights,
            ),
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is active."""
        return bool(self.selection.filters)

    @property
    def is_whole(self) -> bool:
        """Whether the search returned all results, so that choices can have counts."""
        return not self.found or len(self.found.keys(SearchKind.TOOL)) < MAX_RESULTS

    def _search(self) -> Found | None:
        """The search results; None without `q`. If there are more than the list can take, only
        those in the chosen categories and with a chosen entry price.
        """
        if not self.chosen.get("q"):
            return None
        found = search(
            self.chosen["q"], Scope(self.content.now, [SearchKind.TOOL], limit=MAX_RESULTS)
        )
        if len(found.keys(SearchKind.TOOL)) < MAX_RESULTS:
            return found
        tokens = {"category": category_token, "entry": entry_token}
        required = [
            [token(value) for value in self.chosen[key]]
            for key, token in tokens.items()
            if self.chosen[key]
        ]
        scope = Scope(self.content.now, [SearchKind.TOOL], required, MAX_RESULTS)
        return search(self.chosen["q"], scope) if required else found
