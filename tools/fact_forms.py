"""The facts on a tool's admin page: a row for each attribute of its category."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property

from shipskip.editing.edit_conflicts import ConflictForm, changed_fields
from shipskip.editing.folds import needs_a_look
from shipskip.editing.keyed_forms import KeyedFormSet
from tools import fact_values
from tools.fact_values import BETWEEN_CHOICES, AttributeKind, FactAnswer
from tools.fact_writing import FactEdit, write_facts
from tools.models import Attribute, Fact, Plan
from tools.models.sources import validate_without_tracking

S = TypeVar("S", Fact, Plan)

STATED, NOT_STATED, NOT_APPLICABLE = "stated", "not-stated", "not-applicable"
STATES = [
    ("", fact_values.NOT_RECORDED),
    (STATED, "States:"),
    (NOT_STATED, fact_values.NOT_STATED),
    (NOT_APPLICABLE, fact_values.NOT_APPLICABLE),
]
_VALUE_FIELDS = ["kind", "applies", "number", "yes_no", "text", "date"]
NO_ANSWER = "Enter the answer, or choose why there is none."
NOTHING_STATED = "Choose what the tool states: a note or a source alone is not an answer."


def state_of(answer: FactAnswer | None) -> str:
    """Which of STATES an answer is in."""
    if answer is None:
        return ""
    if not answer.applies:
        return NOT_APPLICABLE
    return NOT_STATED if answer.value is None else STATED


class SourcedForm(ConflictForm[S]):
    """A row that states something, with its source and the day of the check."""

    still_true = forms.BooleanField(required=False, label="Still true today", label_suffix="")
    absent = False
    """Whether the submitted data lacks this form."""
    content: Sequence[str] = ()
    """The fields whose change counts as a check."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["checked_on"].widget = forms.DateInput({"type": "date"}, "%Y-%m-%d")
        self.fields["source"].widget = forms.URLInput({"placeholder": "https://…"})

    def clean_source(self) -> str:
        """The source; a new one must not follow its readers."""
        source = str(self.cleaned_data["source"])
        if "source" in self.changed_data:
            validate_without_tracking(source)
        return source

    def name_inputs(self, subject: str) -> None:
        """Label the inputs for screen readers, which do not read the column heading."""
        for field in self.fields.values():
            field.widget.attrs["aria-label"] = f"{subject}: {str(field.label).lower()}"

    @property
    def changed_data(self) -> list[str]:
        """The fields that were changed; none if the form was not submitted."""
        return [] if self.absent else super().changed_data

    @property
    def is_old(self) -> bool:
        """Whether the stored row was checked too long ago."""
        return bool(self.instance.pk) and self.instance.is_old(timezone.now())

    def clean(self) -> dict[str, Any]:
        """Set the date of the check of a changed row to today, unless another day is given."""
        cleaned = super().clean()
        changed: set[str] = {*self.changed_data}
        by_itself = "checked_on" not in changed and changed & {*self.content}
        if cleaned.get("still_true") or by_itself:
            cleaned["checked_on"] = timezone.localdate()
            self.set_by_rule.append("checked_on")
        return cleaned


class TicksInput(forms.CheckboxSelectMultiple):
    """Checkboxes for several choices; as text the choices are separated by `;`."""

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> str:
        """The ticked choices as one text."""
        ticked = data.getlist(name) if isinstance(data, MultiValueDict) else [data.get(name) or ""]
        return f"{BETWEEN_CHOICES} ".join(ticked)

    def format_value(self, value: object) -> list[str]:
        """The choices of a text."""
        return [each.strip() for each in str(value or "").split(BETWEEN_CHOICES)]


class AnswerField(forms.CharField):
    """The value that answers an attribute, as text; its widget is that of the attribute's kind."""

    def __init__(self, attribute: Attribute) -> None:
        super().__init__(required=False, label=attribute.name, widget=_widget(attribute))
        self.attribute = attribute
        self.choices = [(each, each) for each in attribute.choices]

    def clean(self, value: Any) -> str:
        """The value in the form in which it is stored; raises ValidationError."""
        text = super().clean(value)
        attribute = self.attribute
        return fact_values.as_text(fact_values.parse(text, attribute.kind, attribute.choices))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether another value is given."""
        try:
            return self.clean(data) != (initial or "")
        except ValidationError:
            return True


def _widget(attribute: Attribute) -> forms.Widget:
    """The input for a value of the attribute's kind."""
    if attribute.kind == AttributeKind.CHOICES:
        return TicksInput(choices=[(each, each) for each in attribute.choices])
    if attribute.kind == AttributeKind.YES_NO:
        return forms.Select(choices=[("", "—"), ("yes", "Yes"), ("no", "No")])
    if attribute.kind == AttributeKind.CHOICE:
        return forms.Select(choices=[("", "—"), *((each, each) for each in attribute.choices)])
    if attribute.kind == AttributeKind.DATE:
        return forms.DateInput({"type": "date"})
    if attribute.kind == AttributeKind.NUMBER:
        return forms.TextInput({"inputmode": "decimal", "size": "12"})
    return forms.TextInput({"maxlength": str(fact_values.LONGEST_TEXT)})


class FactForm(SourcedForm[Fact]):
    """A tool's answer to one attribute."""

    state = forms.ChoiceField(required=False, choices=STATES, label="What the tool states")
    content = ("state", "answer", "source")

    class Meta:
        model = Fact
        fields = ["note", "note_only_explains", "source", "checked_on"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.attribute_id is None:  # Django's form for a new row, which is not used
            return
        self.fields["answer"] = AnswerField(self.instance.attribute)
        self.name_inputs(self.instance.attribute.name)
        own = self.values_of(self.instance if self.instance.pk else None)
        self.initial.update(state=own["state"], answer=own["answer"])
        self.stored = own

    def values_of(self, row: Fact | None) -> dict[str, Any]:
        """The state and the answer, before the values of the other fields."""
        answer = row.answer if row else None
        text = fact_values.as_text(answer.value) if answer else ""
        return {"state": state_of(answer), "answer": text, **super().values_of(row)}

    def clean(self) -> dict[str, Any]:
        """Set the answer from the entered values; a value without a state counts as stated."""
        cleaned = super().clean()
        if self.errors:
            return cleaned
        text, changed = cleaned["answer"], {*self.changed_data}
        if text and "answer" in changed and "state" not in changed:
            cleaned["state"] = STATED
        if cleaned["state"] == STATED and not text:
            self.add_error("answer", NO_ANSWER)
        if not cleaned["state"] and changed & {"note", "source", "still_true"}:
            self.add_error("state", NOTHING_STATED)
        elif cleaned["state"] == NOT_STATED and changed & {*self.content} and not cleaned["source"]:
            self.add_error("source", fact_values.NO_SOURCE_READ)
        if self.errors:
            return cleaned
        if {"state", "answer"} & changed:
            self.set_by_rule += _VALUE_FIELDS
        row, attribute = self.instance, self.instance.attribute
        row.applies = cleaned["state"] != NOT_APPLICABLE
        stated = cleaned["state"] == STATED
        row.set_value(
            fact_values.parse(text, attribute.kind, attribute.choices) if stated else None
        )
        return cleaned

    @property
    def is_stated(self) -> bool:
        """Whether the form has an answer after the save."""
        return bool(self.cleaned_data.get("state"))


class FactsFormSet(KeyedFormSet):
    """A form for each attribute that is asked of the tool, with its fact or empty."""

    removed: Sequence[str] = ()
    """The names of attributes whose facts a save removed, because the tool's new category does not
    have them."""

    @cached_property
    def stored(self) -> dict[int, Fact]:
        """The stored facts, by attribute."""
        return {fact.attribute_id: fact for fact in self.get_queryset()}

    @cached_property
    def asked_attributes(self) -> dict[int, Attribute]:
        """The attributes, in order."""
        return {row.pk: row for row in Attribute.objects.asked_in([self.instance.category_id])}

    @cached_property
    def form_keys(self) -> list[int]:  # type: ignore[override]
        """The attributes that are asked."""
        return list(self.asked_attributes)

    def row_of(self, key: int) -> Fact:
        """The tool's answer to the attribute with this primary key."""
        fact = self.stored.get(key) or Fact()
        fact.attribute, fact.tool = self.asked_attributes[key], self.instance
        return fact

    def add_fields(self, form: FactForm, index: int | None) -> None:
        """Leave out the field of the tool, which is known."""
        super().add_fields(form, index)
        form.fields.pop("tool", None)

    @property
    def groups(self) -> list[tuple[str, list[FactForm]]]:
        """The forms by the attribute's group, in order."""
        order = list(dict.fromkeys(form.instance.attribute.group for form in self.forms))
        forms = sorted(self.forms, key=lambda form: order.index(form.instance.attribute.group))
        by_group = groupby(forms, key=lambda form: form.instance.attribute.group)
        return [(group, list(found)) for group, found in by_group]

    @property
    def is_open(self) -> bool:
        """Whether the facts come back to the editor."""
        return needs_a_look(self.forms) or (self.is_bound and bool(self.non_form_errors()))

    @property
    def counts(self) -> str:
        """How many attributes are answered, in words."""
        answered = sum(key in self.stored for key in self.form_keys)
        return f"{answered} of {len(self.form_keys)} answered"

    def save_changed(self, changed: Sequence[FactForm]) -> None:
        """Write changed answers, remove those that are not stated any more, and remove facts whose
        attribute the tool's category does not have.
        """
        gone = [fact for key, fact in self.stored.items() if key not in self.asked_attributes]
        self.removed = [fact.attribute.name for fact in gone]
        edits = [self._edit(form) for form in changed]
        note = "Not asked in its category"
        edits += [FactEdit((fact.tool_id, fact.attribute_id), None, note) for fact in gone]
        write_facts(edits, self.act)

    def _edit(self, form: FactForm) -> FactEdit:
        """The edit of a changed form; a new fact has all fields."""
        fact = form.instance
        names = changed_fields(form) if fact.pk else [*_VALUE_FIELDS, *FactForm.Meta.fields]
        fields = {name: getattr(fact, name) for name in names}
        key = self.instance.pk, fact.attribute_id
        return FactEdit(key, fields if form.is_stated else None, is_new=not fact.pk)
