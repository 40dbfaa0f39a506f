"""Parts of a long form that are folded, each with a line that says what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shipskip.editing.edit_conflicts import ConflictForm


@dataclass(frozen=True)
class Fold:
    """A folded part: its title, what is in it, and whether it is open."""

    title: str
    what: str
    is_open: bool


def needs_a_look(forms: Iterable[ConflictForm[Any]]) -> bool:
    """Whether one of these forms comes back to its editor: it has faults, a conflict, or text that
    is not saved.
    """
    return any(
        form.conflict is not None or (form.is_bound and (form.errors or form.has_changed()))
        for form in forms
    )
