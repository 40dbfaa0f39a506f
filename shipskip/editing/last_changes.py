"""Who changed rows last, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Model
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from shipskip.editing.history_entries import author_of


@dataclass(frozen=True)
class LastChange:
    """The editor and the moment of a row's newest version."""

    who: str
    at: datetime

    @property
    def in_words(self) -> SafeString:
        """The day and the editor, as a cell of a list; the history has the time."""
        day = timezone.localtime(self.at)
        text = '<time class="list__moment" datetime="{}">{}</time> by <bdi>{}</bdi>'
        return format_html(text, self.at.isoformat(), f"{day.day} {day:%b %Y}", self.who)


def last_changes(model: type[Model], keys: Iterable[object]) -> dict[int, LastChange]:
    """The last change of each of these rows that has a history, by primary key; one query."""
    history = getattr(model, "history", None)
    if history is None:
        return {}
    own = history.filter(id__in=list(keys)).order_by()
    newest = own.values("id").annotate(newest=Max("history_id")).values("newest")
    versions = history.filter(history_id__in=newest).select_related("history_user")
    return {each.id: LastChange(author_of(each), each.history_date) for each in versions}
