"""Cells in the lists of the desk."""

from django.utils.html import format_html, format_html_join


def names_and_taglines(*rows: tuple[str, str]) -> str:
    """Names on one line, joined by `vs`, and their taglines on a quieter line below."""
    names = format_html_join(" vs ", "<bdi>{}</bdi>", ((name,) for name, _ in rows))
    taglines = format_html_join(" / ", "<bdi>{}</bdi>", ((line,) for _, line in rows if line))
    return format_html('{} <small class="list__taglines">{}</small>', names, taglines)
