"""Fields and widgets of the desk: a moment, a text with its preview, a list of phrases."""

import re
from datetime import UTC, datetime
from html import unescape

from django import forms
from django.forms.renderers import BaseRenderer
from django.urls import reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from shipskip.web import markdown
from shipskip.web.text import validate_reason

_WORD = re.compile(r"\w[\w'’–-]*")


def words(text: str) -> int:
    """How many words readers see of a text in Markdown."""
    return len(_WORD.findall(unescape(strip_tags(markdown.render(text)))))


def count_of_words(text: str) -> str:
    """The number of words in words."""
    number = words(text)
    return f"{number:,} word{'' if number == 1 else 's'}"


class MomentInput(forms.DateTimeInput):
    """A moment in one field, with the browser's own calendar."""

    input_type = "datetime-local"

    def __init__(self, attrs: dict[str, object] | None = None) -> None:
        super().__init__({"step": "1"} | (attrs or {}), format="%Y-%m-%dT%H:%M:%S")


class MomentField(forms.DateTimeField):
    """A moment that every place on earth can write down."""

    def clean(self, value: object) -> datetime | None:
        """The moment; raises ValidationError for one that is beyond the calendar in UTC."""
        moment = super().clean(value)
        try:
            return moment.astimezone(UTC) if moment else None
        except OverflowError:
            raise forms.ValidationError(
                "Enter a date and time between the years 1 and 9999."
            ) from None


class MarkdownInput(forms.Textarea):
    """A text in Markdown, and beside it what readers will see, kept up to date while one types."""

    def __init__(self, attrs: dict[str, object] | None = None) -> None:
        super().__init__({"rows": 10, "class": "writing__text"} | (attrs or {}))

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, object] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The field, its preview, and a button for the preview where there are no scripts."""
        text = str(value or "")
        place, address = f"preview-{(attrs or {}).get('id', name)}", reverse("admin:markdown")
        living = {
            "hx-post": f"{address}?field={name}",
            "hx-trigger": "input changed delay:400ms",
            "hx-target": f"#{place}",
            "hx-params": f"{name},csrfmiddlewaretoken",
            "hx-sync": "this:replace",
        }
        return format_html(
            '<div class="writing">{}<div id="{}" class="writing__preview" aria-label="Preview" '
            'role="group" tabindex="0">{}</div><noscript><button class="button" type="submit" '
            'name="field" value="{}" formaction="{}" formtarget="_blank" formnovalidate>Preview '
            "this text</button></noscript></div>",
            super().render(name, value, (attrs or {}) | living, renderer),
            place,
            preview(text),
            name,
            address,
        )


class MarkdownField(forms.CharField):
    """A text in Markdown; browsers write each line end as two characters, we as one."""

    def to_python(self, value: object) -> str:
        """The text with one kind of line end."""
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")

    def has_changed(self, initial: object, data: object) -> bool:
        """Whether more than line ends and white space around it differs."""
        return self.to_python(initial) != self.to_python(data)


def preview(text: str) -> str:
    """A text as readers will see it, and how long it is."""
    return format_html(
        '<p class="writing__count">{}</p><div class="site-look prose">{}</div>',
        count_of_words(text),
        markdown.render(text),
    )


class ReasonField(forms.CharField):
    """Why a score or verdict that readers could see is changed: one line for the public record."""

    def __init__(self, *, help_text: str, widget: forms.Widget | None = None) -> None:
        super().__init__(
            required=False,
            max_length=200,
            validators=[validate_reason],
            label="Reason for the change",
            help_text=help_text,
            widget=widget,
        )


class PhrasesField(forms.CharField):
    """A list of short phrases, written one a line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: object) -> object:
        """Lines from a list; text that was refused stays as it was typed."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: object) -> list[str]:  # type: ignore[override]
        """A list from lines, empty ones left out."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def has_changed(self, initial: object, data: object) -> bool:
        """Whether the phrases differ, white space aside."""
        return bool((initial or []) != self.to_python(data))
