"""Form fields and widgets of the desk: Markdown with preview, quote, reason, list of phrases."""

import re
from html import unescape
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.urls import reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from shipskip.web import markdown, markdown_limits
from shipskip.web.text import LONGEST_PROSE, validate_reason

_WORD = re.compile(r"\w[\w'’–-]*")


def count_words(text: str) -> int:
    """The number of words in a rendered Markdown text."""
    return len(_WORD.findall(unescape(strip_tags(markdown.render(text)))))


def count_of_words(text: str) -> str:
    """The word count as text, as in `1,200 words`."""
    number = count_words(text)
    return f"{number:,} word{'' if number == 1 else 's'}"


class QuoteInput(forms.Textarea):
    """Words copied from a document; line breaks and runs of spaces become one space."""

    def __init__(self) -> None:
        super().__init__({"rows": "2", "placeholder": "In its own words"})

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str | None:
        text = super().value_from_datadict(data, files, name)
        return None if text is None else " ".join(str(text).split())


class MarkdownInput(forms.Textarea):
    """A Markdown text area with a preview that updates during typing."""

    def __init__(self, attrs: dict[str, object] | None = None) -> None:
        super().__init__({"rows": 10, "class": "markdown-field__text"} | (attrs or {}))

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, object] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The text area, its preview, and a preview button for use without JavaScript."""
        text = str(value or "")
        place, address = f"preview-{(attrs or {}).get('id', name)}", reverse("admin:markdown")
        htmx = {
            "data-hx-post": f"{address}?field={name}",
            "data-hx-trigger": "input changed delay:400ms",
            "data-hx-target": f"#{place}",
            "data-hx-params": f"{name},csrfmiddlewaretoken",
            "data-hx-sync": "this:replace",
        }
        return format_html(
            '<div class="markdown-field">{}<div id="{}" class="markdown-field__preview"'
            ' aria-label="Preview" role="group" tabindex="0">{}</div>'
            '<noscript><button class="button" type="submit" name="field" value="{}"'
            ' formaction="{}" formtarget="_blank" formnovalidate>Preview '
            "this text</button></noscript></div>",
            super().render(name, value, (attrs or {}) | htmx, renderer),
            place,
            preview(text),
            name,
            address,
        )


class MarkdownField(forms.CharField):
    """A Markdown text; browsers submit CRLF line endings, LF is stored."""

    def to_python(self, value: object) -> str:
        """The text with LF line endings."""
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")

    def has_changed(self, initial: object, data: object) -> bool:
        return self.to_python(initial) != self.to_python(data)


def name_what_is_missing(field: forms.Field) -> None:
    """Set the error message of an empty required field, which says what to enter."""
    if field.error_messages.get("required") == forms.Field.default_error_messages["required"]:
        verb = "Choose" if isinstance(field, forms.ChoiceField) else "Enter"
        label = str(field.label)
        field.error_messages["required"] = f"{verb} the {label[:1].lower()}{label[1:]}."


def preview(text: str) -> str:
    """The rendered text and its word count; an error message for a text that cannot be saved."""
    sentence = markdown_limits.markdown_fault(text)
    if len(text) > LONGEST_PROSE:
        sentence = f"This text has {len(text):,} characters; at most {LONGEST_PROSE:,} fit."
    if sentence:
        return format_html('<p class="markdown-field__count">{}</p>', sentence)
    return format_html(
        '<p class="markdown-field__count">{}</p>'
        '<div class="site-styles"><div class="prose">{}</div></div>',
        count_of_words(text),
        markdown.render(text),
    )


class ReasonField(forms.CharField):
    """The reason for changing a score or verdict that was public: one line, shown to readers."""

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
    """A list of short phrases, one per line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: object) -> object:
        """Lines from a list; invalid text stays as typed."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: object) -> list[str]:  # type: ignore[override]
        """A list from lines, without empty ones."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def has_changed(self, initial: object, data: object) -> bool:
        return bool((initial or []) != self.to_python(data))
