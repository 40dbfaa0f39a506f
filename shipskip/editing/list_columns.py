"""Cells in the lists of the desk."""

from typing import Any

from django.contrib import admin
from django.db.models.functions import Lower
from django.utils.html import format_html, format_html_join


def names_and_taglines(*rows: tuple[str, str]) -> str:
    """Names on one line, joined by `vs`, and their taglines on a quieter line below."""
    names = format_html_join(" vs ", "<bdi>{}</bdi>", ((name,) for name, _ in rows))
    taglines = format_html_join(" / ", "<bdi>{}</bdi>", ((line,) for _, line in rows if line))
    return format_html('{} <small class="list__taglines">{}</small>', names, taglines)


@admin.display(description="Tool", ordering=Lower("tool__name"))
def tool_name(row: Any) -> str:
    """The name of a row's tool, with its tagline below."""
    return names_and_taglines((row.tool.labelled_name, row.tool.tagline))
