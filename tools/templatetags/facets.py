"""Template tag of a list's filters: a group of choices with their counts, or of limits."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tools.facet_groups import FacetChoice, FacetGroup, FacetLimit

register = template.Library()

_GROUP = '<fieldset class="facets__group"><legend>{}</legend> {}</fieldset>'
_CHOICE = (
    '<label class="facet"><input type="checkbox" name="{}" value="{}"{}>'
    '<bdi>{}</bdi> <span class="facet__count" data-count="{}">{}</span></label>'
)
_LIMIT = (
    '<label class="facet-limit">{} <input type="{}" name="{}" value="{}"{}'
    ' aria-label="{}, {}"></label>'
)


@register.simple_tag
def choices(group: FacetGroup) -> SafeString:
    """A filter as a group of checkboxes, each with its count, or of two fields."""
    fields = [
        *(_choice(group, choice) for choice in group.choices),
        *(_limit(group, limit) for limit in group.limits),
    ]
    return format_html(_GROUP, group.label, format_html_join(" ", "{}", ((one,) for one in fields)))


def _choice(group: FacetGroup, choice: FacetChoice) -> SafeString:
    checked = SafeString(" checked") if choice.chosen else ""
    number = "" if choice.count is None else choice.count
    words = "" if choice.count is None else f"{choice.count:,}"
    return format_html(_CHOICE, group.key, choice.value, checked, choice.label, number, words)


def _limit(group: FacetGroup, limit: FacetLimit) -> SafeString:
    step = SafeString(' step="any"') if limit.kind == "number" else ""
    return format_html(
        _LIMIT, limit.label, limit.kind, limit.key, limit.value, step, group.label, limit.label
    )
