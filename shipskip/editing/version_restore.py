"""Restoring the values of an earlier version of a row."""

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import ForeignKey
from django.utils.text import capfirst

from shipskip.editing.edit_conflicts import is_same
from shipskip.editing.history_entries import ModelField, Version, fields_of
from shipskip.editing.row_locks import locked
from shipskip.web.key_lists import KeyListField


class RestoreRefusedError(Exception):
    """The restore was refused; `reasons` are sentences."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def differing_fields(row: Version, version: Version, fixed: tuple[str, ...]) -> list[ModelField]:
    """The fields in which a row differs from a version, without the `fixed` ones."""
    return [
        each
        for each in fields_of(version)
        if each.name not in fixed
        and not is_same(getattr(row, each.attname), getattr(version, each.attname))
    ]


def set_values(row: Version, version: Version, fields: list[ModelField]) -> str:
    """Set these fields of `row` to the version's values without saving; return a note on others.

    The slug stays as it is if another row uses the earlier one now. Raises RestoreRefusedError if
    the version violates a current rule.
    """
    check_related(version, fields)
    slug = getattr(row, "slug", "")
    for each in fields:
        setattr(row, each.attname, getattr(version, each.attname))
    faults = faults_of(row)
    if "slug" not in faults or row.slug == slug:
        note = ""
    else:
        note = f"The address stays “{slug}”: {' '.join(faults['slug'])}"
        row.slug = slug
        faults = faults_of(row)
    if faults:
        raise RestoreRefusedError(in_words(row, faults))
    return note


def check_related(version: Version, fields: list[ModelField]) -> None:
    """Raise RestoreRefusedError if a row that the version refers to is deleted; lock the others, so
    that nobody deletes them meanwhile.
    """
    for each in fields:
        pk = getattr(version, each.attname)
        if isinstance(each, KeyListField):
            keys = set(each.keys(pk))
            rows = each.row_model._default_manager.filter(pk__in=keys).order_by("pk")
            if len(locked(rows).values_list("pk")) < len(keys):
                reason = f"One of its {each.verbose_name} is deleted: bring that back first."
                raise RestoreRefusedError([reason])
        if not isinstance(each, ForeignKey) or pk is None:
            continue
        if not locked(each.related_model._default_manager.filter(pk=pk)).first():
            raise RestoreRefusedError(
                [f"Its {each.verbose_name} is deleted: bring that back first."]
            )


def faults_of(row: Version) -> dict[str, list[str]]:
    """Validation errors of a row, by field."""
    try:
        row.full_clean()
    except ValidationError as error:
        return error.message_dict
    return {}


def in_words(row: Version, faults: dict[str, list[str]]) -> list[str]:
    """Validation errors as sentences that name the field."""
    return [
        message if name == NON_FIELD_ERRORS else f"{_label(row, name)}: {message}"
        for name, messages in faults.items()
        for message in messages
    ]


def _label(row: Version, name: str) -> str:
    return capfirst(str(row._meta.get_field(name).verbose_name))
