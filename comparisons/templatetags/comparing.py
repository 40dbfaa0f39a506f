"""Template words of comparisons: addresses of pairs."""

from collections.abc import Sequence
from typing import Any

from django import template

from comparisons.addresses import address, picker_address
from comparisons.forms import Field
from tools.models import Tool

register = template.Library()


@register.simple_tag
def compare_url(*tools: Tool) -> str:
    """The address of these tools side by side, in alphabetical order."""
    return address(sorted(tool.slug for tool in tools))


@register.simple_tag
def instead(fields: Sequence[Field], index: int, tool: Tool) -> str:
    """The picker's address with `tool` in the field at `index` and the others as they are."""
    texts = [field.tool.slug if field.tool else field.text for field in fields]
    texts[index] = tool.slug
    return picker_address([text for text in texts if text])


@register.filter
def at(rows: Sequence[Any], index: int) -> Any:
    """The item of a list at an index from 0."""
    return rows[index]
