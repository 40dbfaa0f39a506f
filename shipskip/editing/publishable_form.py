"""The form of a row that is published by a moment in time."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.html import format_html

from shipskip.editing.content_admin import P
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.web.publishing import withdrawal

RECOVERED = (
    "You were logged out while you were writing. Your text is below and not saved yet: "
    "check it, then save."
)


class PublishableForm(ConflictForm[P]):
    """A form of a row that is published by a moment in time."""

    recovered = False
    """Whether this is a text that was kept while its editor logged in again."""

    may_publish = True
    """Whether its editor may change what readers can see, or could."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cautions = self.find_cautions()
        """What looks odd, by field; it does not keep anybody from saving."""
        for name, said in self.cautions.items():
            if name in self.fields:
                bound = self[name]
                bound.help_text = caution(bound.auto_id, said, bound.help_text)

    def find_cautions(self) -> dict[str, str]:
        """What looks odd in what the form shows, by field; empty where it might yet."""
        return {}

    def shown(self, name: str) -> str:
        """What the form shows in a field, as text; empty where it has no such field."""
        value = self[name].value() if name in self.fields else ""
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Remember a withdrawal; a recovered text is shown first and saved when it was read."""
        cleaned = super().clean()
        before, now = self.stored.get("published_at"), timezone.now()
        if "published_at" in cleaned and withdrawal(before, cleaned["published_at"], now):
            self.instance.withdrawn_at = now
            self.set_by_rule.append("withdrawn_at")
        if self.recovered:
            raise ValidationError(RECOVERED, code="kept")
        return cleaned


def caution(field_id: str, said: str, help_text: object = "") -> str:
    """A caution beside a field, after its help; empty keeps the place for one to come."""
    return format_html(
        '{} <span class="caution" id="{}_caution">{}</span>', help_text, field_id, said
    )
