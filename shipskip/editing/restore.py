"""Putting the values of an earlier version back into a row."""

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import ForeignKey
from django.utils.text import capfirst

from shipskip.editing.edit_conflicts import mark
from shipskip.editing.history_entries import Record, Value, fields_of


class RefusedError(Exception):
    """Nothing is changed, for these reasons, a sentence each."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def standing(row: Record) -> str:
    """A mark of a row as it stands: its newest version and all its values. Who saves changes it."""
    newest = type(row).history.filter(id=row.pk).values_list("history_id", flat=True).first()
    values = [getattr(row, each.attname) for each in type(row).history.model.tracked_fields]
    return mark([newest, *(mark(value) for value in values)])


def differing(row: Record, version: Record, kept: tuple[str, ...]) -> list[Value]:
    """The fields in which a row differs from a version, without those that a row keeps."""
    return [
        each
        for each in fields_of(version)
        if each.name not in kept
        and mark(getattr(row, each.attname)) != mark(getattr(version, each.attname))
    ]


def put_back(row: Record, version: Record, fields: list[Value]) -> str:
    """Set these fields of `row`, not saved yet, to what they were; returns what was left, if any.

    A slug that leads elsewhere by now stays as it is. Raises RefusedError where the version
    breaks a rule of today.
    """
    check_related(version, fields)
    slug = getattr(row, "slug", "")
    for each in fields:
        setattr(row, each.attname, getattr(version, each.attname))
    faults = faults_of(row)
    if "slug" not in faults or row.slug == slug:
        left = ""
    else:
        left = f"The address stays “{slug}”: {' '.join(faults['slug'])}"
        row.slug = slug
        faults = faults_of(row)
    if faults:
        raise RefusedError(in_words(row, faults))
    return left


def check_related(version: Record, fields: list[Value]) -> None:
    """What a version belongs to must be there; raises RefusedError."""
    for each in fields:
        pk = getattr(version, each.attname)
        if not isinstance(each, ForeignKey) or pk is None:
            continue
        if not each.related_model._default_manager.filter(pk=pk).exists():
            raise RefusedError([f"Its {each.verbose_name} is deleted: bring that back first."])


def faults_of(row: Record) -> dict[str, list[str]]:
    """What is wrong with a row as it is, by field."""
    try:
        row.full_clean()
    except ValidationError as error:
        return error.message_dict
    return {}


def in_words(row: Record, faults: dict[str, list[str]]) -> list[str]:
    """The same as sentences that name the field."""
    return [
        message if name == NON_FIELD_ERRORS else f"{_label(row, name)}: {message}"
        for name, messages in faults.items()
        for message in messages
    ]


def _label(row: Record, name: str) -> str:
    return capfirst(str(row._meta.get_field(name).verbose_name))
