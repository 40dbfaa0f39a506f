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
from shipskip.editing.fields import QuoteInput
from shipskip.editing.folds import needs_a_look
from shipskip.editing.row_forms import RowFormSet
from tools import fact_values
from tools.fact_values import BETWEEN_CHOICES, AttributeKind, FactAnswer
from tools.fact_writing import FactEdit, write_facts
from tools.models import Attribute, Fact, Plan, SourceCheck
from tools.models.sources import LONGEST_QUOTE, validate_without_tracking

S = TypeVar("S", Fact, Plan)

NO_VALUE = [
    (fact_values.NOT_STATED_CELL, fact_values.NOT_STATED),
    (fact_values.NOT_APPLICABLE_CELL, fact_values.NOT_APPLICABLE),
]
"""The answers without a value: the words of a cell of the grid, and those of a choice."""
NO_VALUE_LIST = "answers-without-a-value"
"""The id of the suggestions for answers that are typed."""
_VALUE_FIELDS = ["kind", "applies", "number", "yes_no", "text", "date"]
NO_ANSWER = "Give the answer: a note or a source alone is none."


class SourcedForm(ConflictForm[S]):
    """A row that states something, with its source and the day of the check."""

    still_true = forms.BooleanField(required=False, label="Still true today", label_suffix="")
    content: Sequence[str] = ()
    """The fields whose change counts as a check."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["checked_on"].widget = forms.DateInput({"type": "date"}, "%Y-%m-%d")
        self.fields["source"].widget = forms.URLInput({"placeholder": "https://…"})
        self.fields["quote"].widget = QuoteInput()
        self.fields["quote"].widget.attrs["maxlength"] = str(LONGEST_QUOTE)

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
    def is_old(self) -> bool:
        """Whether the stored row was checked too long ago."""
        return bool(self.instance.pk) and self.instance.is_old(timezone.now())

    def clean(self) -> dict[str, Any]:
        """Set the date of the check of a changed row to today, unless another day is given."""
        cleaned = super().clean()
        changed: set[str] = {*self.changed_data}
        if changed & {"quote", "source"} and cleaned.get("quote") and cleaned.get("source") == "":
            self.add_error("source", fact_values.NO_ADDRESS)
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
        ticked = data.getlist(name) if isinstance(data, MultiValueDict) else [data.get(name) or ""]
        return f"{BETWEEN_CHOICES} ".join(ticked)

    def format_value(self, value: object) -> list[str]:
        return [each.strip() for each in str(value or "").split(BETWEEN_CHOICES)]


class AnswerField(forms.CharField):
    """The answer to an attribute, as the text of a cell of the grid; its widget is that of the
    attribute's kind.
    """

    def __init__(self, attribute: Attribute) -> None:
        super().__init__(required=False, label=attribute.name, widget=_widget(attribute))
        self.attribute = attribute
        self.choices = [*((each, each) for each in attribute.choices), *NO_VALUE]

    def clean(self, value: Any) -> str:
        """The answer as a cell shows it; raises ValidationError."""
        text, attribute = super().clean(value), self.attribute
        return fact_values.answer_as_text(
            fact_values.parse_answer(text, attribute.kind, attribute.choices)
        )

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return self.clean(data) != (initial or "")
        except ValidationError:
            return True


def _widget(attribute: Attribute) -> forms.Widget:
    """The input for an answer of the attribute's kind, with or without a value."""
    own = [(each, each) for each in attribute.choices]
    if attribute.kind == AttributeKind.CHOICES:
        return TicksInput(choices=[*own, *NO_VALUE])
    if attribute.kind == AttributeKind.YES_NO:
        own = [("yes", "Yes"), ("no", "No")]
    if attribute.kind in (AttributeKind.YES_NO, AttributeKind.CHOICE):
        return forms.Select(choices=[("", fact_values.NOT_RECORDED), *own, *NO_VALUE])
    typed = {"list": NO_VALUE_LIST, "autocomplete": "off", "size": "14"}
    if attribute.kind == AttributeKind.DATE:
        return forms.TextInput({**typed, "placeholder": "2026-11-20", "data-calendar": "date"})
    if attribute.kind == AttributeKind.NUMBER:
        return forms.TextInput(typed)
    return forms.TextInput({"maxlength": str(fact_values.LONGEST_TEXT)})


class FactForm(SourcedForm[Fact]):
    """A tool's answer to one attribute."""

    content = ("answer", "source", "quote")

    class Meta:
        model = Fact
        fields = ["note", "note_only_explains", "source", "quote", "checked_on"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.attribute_id is None:  # Django's form for a new row, which is not used
            return
        self.fields["answer"] = AnswerField(self.instance.attribute)
        self.name_inputs(self.instance.attribute.name)
        self.fields["answer"].widget.attrs["aria-label"] = self.instance.attribute.name
        own = self.values_of(self.instance if self.instance.pk else None)
        self.initial["answer"] = own["answer"]
        self.stored = own

    def values_of(self, row: Fact | None) -> dict[str, Any]:
        """The answer, before the values of the other fields."""
        text = fact_values.answer_as_text(row.answer if row else None)
        return {"answer": text, **super().values_of(row)}

    def clean(self) -> dict[str, Any]:
        """Set the answer from the entered text."""
        cleaned = super().clean()
        if self.errors:
            return cleaned
        changed = {*self.changed_data}
        attribute = self.instance.attribute
        answer = fact_values.parse_answer(cleaned["answer"], attribute.kind, attribute.choices)
        about = changed & {"note", "source", "quote", "still_true"}
        if answer is None and any(cleaned[name] for name in about):
            self.add_error("answer", NO_ANSWER)
        elif answer == FactAnswer() and changed & {*self.content} and not cleaned["source"]:
            self.add_error("source", fact_values.NO_SOURCE_READ)
        if self.errors:
            return cleaned
        if "answer" in changed:
            self.set_by_rule += _VALUE_FIELDS
        self.instance.applies = answer is None or answer.applies
        self.instance.set_value(answer.value if answer else None)
        return cleaned

    @property
    def is_stated(self) -> bool:
        """Whether the form has an answer after the save."""
        return bool(self.cleaned_data.get("answer"))


class SourcedFormSet(RowFormSet):
    """The forms of rows with sources; `filled_in` are the values that a new page fills in, by the
    keys of their rows (`key_of`) and the names of the fields.
    """

    def __init__(
        self, *args: Any, filled_in: Mapping[str, Mapping[str, Any]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.filled_in = filled_in or {}

    @cached_property
    def source_checks(self) -> dict[tuple[str, str], SourceCheck]:
        """What was last found at the sources of the stored rows, by address and quote."""
        return SourceCheck.objects.of(self.rows.values())

    def key_of(self, form: Any) -> str:
        """What `filled_in` calls the row of a form."""
        raise NotImplementedError

    def add_fields(self, form: Any, index: int | None) -> None:
        """Fill in the values of a row, and say what was last found at its source."""
        super().add_fields(form, index)
        row = form.instance
        form.source_check = self.source_checks.get((row.source, row.quote))
        form.initial |= self.filled_in.get(self.key_of(form), {})


class FactsFormSet(SourcedFormSet):
    """A form for each attribute that is asked of the tool, with its fact or empty."""

    no_value, no_value_list = NO_VALUE, NO_VALUE_LIST
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
    def rows(self) -> dict[str, Fact]:
        """The tool's answer to each attribute that is asked."""
        facts = {}
        for key, attribute in self.asked_attributes.items():
            fact = facts[str(key)] = self.stored.get(key) or Fact()
            fact.attribute, fact.tool = attribute, self.instance
        return facts

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
        is_faulty = self.is_bound and bool(self.non_form_errors())
        return needs_a_look(self.forms) or is_faulty or bool(self.filled_in)

    @property
    def counts(self) -> str:
        """How many attributes are answered, in words."""
        answered = sum(key in self.stored for key in self.asked_attributes)
        return f"{answered} of {len(self.asked_attributes)} answered"

    def key_of(self, form: FactForm) -> str:
        """The slug of its attribute."""
        return form.instance.attribute.slug if form.instance.attribute_id else ""

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
