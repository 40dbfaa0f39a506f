"""Form sets that identify each form by a key and not by its position."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.forms.formsets import INITIAL_FORM_COUNT, TOTAL_FORM_COUNT, ManagementForm
from django.forms.models import BaseInlineFormSet
from django.utils.functional import cached_property

from shipskip.editing.bulk_saves import Save
from shipskip.editing.edit_conflicts import HISTORY_ID, Versions

if TYPE_CHECKING:
    Rows = BaseInlineFormSet[Any, Any, Any]
else:
    Rows = BaseInlineFormSet  # it takes no type parameters at run time


class KeyedFormSet(Rows):
    """A form for each key, with the stored row of a tool that has the key or an empty one.

    A form still matches its row if a colleague created or deleted another one meanwhile. A form
    that was not submitted changes nothing.
    """

    act = Save()
    """Who saves, and when; set before the save."""

    form_keys: Sequence[int | str]
    """The keys of the forms, in order."""

    def row_of(self, key: Any) -> Any:
        """The stored row of a key, or a new one."""
        raise NotImplementedError

    @cached_property
    def management_form(self) -> ManagementForm:
        """The numbers of forms, derived from the keys and not from the submitted data."""
        counts = {TOTAL_FORM_COUNT: self.total_form_count(), INITIAL_FORM_COUNT: 0}
        data = {f"{self.prefix}-{name}": count for name, count in counts.items()}
        form = ManagementForm(data, auto_id=self.auto_id, prefix=self.prefix)
        form.full_clean()
        return form

    def initial_form_count(self) -> int:
        """Zero: stored rows are found by their key, not by position."""
        return 0

    def total_form_count(self) -> int:
        """As many as there are keys."""
        return len(self.form_keys)

    def add_prefix(self, index: int | str) -> str:
        """The name of the form of a key."""
        return f"{self.prefix}-{self.form_keys[index] if isinstance(index, int) else index}"

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """The row of the form's key."""
        own = super().get_form_kwargs(index)
        if index is not None:
            own["instance"] = self.row_of(self.form_keys[index])
        return own

    def save_changed(self, changed: Sequence[Any]) -> None:
        """Write what these forms change, all together."""
        raise NotImplementedError

    def save(self, commit: bool = True) -> list[Any]:  # noqa: FBT001, FBT002
        """Write what the forms change."""
        self.new_objects, self.changed_objects, self.deleted_objects = [], [], []
        self.save_changed([form for form in self.forms if form.has_changed()])
        return []

    @cached_property
    def versions(self) -> Versions:
        """The versions of all rows, for their forms."""
        opened = [self.data[name] for name in self.data if name.endswith(f"-{HISTORY_ID}")]
        rows = self.get_queryset()
        return Versions(rows.model, [row.pk for row in rows], opened)

    def add_fields(self, form: Any, index: int | None) -> None:
        """Leave out the field of the primary key, and mark a form that was not submitted."""
        super().add_fields(form, index)
        form.versions = self.versions
        form.fields.pop("id", None)
        if index is not None and self.is_bound:
            start = f"{self.add_prefix(index)}-"
            form.absent = not any(key.startswith(start) for key in self.data)
