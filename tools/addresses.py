"""Whose the address of a tool is: another's that has it, or had it, or was deleted with it."""

from typing import Any

from django.core.exceptions import ValidationError

DELETED = "deleted"
"""The code of a refusal for the sake of a deleted tool."""


def check(tool: Any) -> None:
    """Refuse a slug that another tool has, or had: links still lead there; and one under which
    readers knew a tool that is deleted: its record would seem to be the new one's. Raises
    ValidationError.
    """
    if complaint := _in_use(tool):
        raise ValidationError({"slug": complaint})
    everything = type(tool).everything
    if tool.pk and everything.filter(pk=tool.pk, slug=tool.slug).exists():
        return
    gone = everything.remembered().exclude(pk=tool.pk).at(tool.slug)
    if gone:
        on = f"{gone.deleted_at.day} {gone.deleted_at:%B %Y}"
        said = (
            f"“{tool.slug}” is an address under which readers knew “{gone}”, which was deleted on "
            f"{on}: bring that back, or choose another slug."
        )
        raise ValidationError({"slug": ValidationError(said, code=DELETED)})


def _in_use(tool: Any) -> str | None:
    other = type(tool).objects.filter(slug=tool.slug).exclude(pk=tool.pk).first()
    if other:
        said = f"“{tool.slug}” is the address of “{other}”: choose another, such as one with "
        return f"{said}its maker or version."
    earlier = type(tool).objects.exclude(pk=tool.pk).at(tool.slug)
    if earlier:
        return (
            f"“{tool.slug}” is an earlier address of “{earlier}” and links still lead there: "
            "choose another slug, or remove it from that tool first."
        )
    return None
