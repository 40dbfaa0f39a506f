"""The plans on a tool's admin page: its prices in order, and rows for new ones."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import DELETION_FIELD_NAME, ORDERING_FIELD_NAME
from django.utils.functional import cached_property

from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.folds import needs_a_look
from shipskip.web.typed_values import NumberField
from tools.fact_forms import SourcedForm, SourcedFormSet
from tools.fact_writing import PlanEdit, write_plans
from tools.models import PERIODS, Plan
from tools.models.plans import MONTH, TRIAL, is_per_user, usual_period

NEW_PLANS = 2
"""How many rows for new plans there are."""


class PlanForm(SourcedForm[Plan]):
    """One price."""

    content = ("name", "amount", "currency", "per", "per_user", "source", "quote")

    class Meta:
        model = Plan
        fields = [
            *("name", "amount", "currency", "per", "per_user"),
            *("note", "source", "quote", "checked_on"),
        ]
        field_classes = {"amount": NumberField}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["per"].widget.attrs["list"] = "plan-periods"
        self.fields["currency"].widget.attrs |= {"size": "3", "autocapitalize": "characters"}
        self.fields["amount"].widget = forms.TextInput({"inputmode": "decimal", "size": "8"})
        if self.instance.pk:
            self.initial["amount"] = Decimal(f"{self.instance.amount.normalize():f}")

    def clean_currency(self) -> str:
        """The code in capitals."""
        return str(self.cleaned_data["currency"]).upper()

    def clean_per(self) -> str:
        """The usual words for a period; own ones follow “per” or begin with “for”."""
        typed = str(self.cleaned_data["per"]).strip()
        return usual_period(typed.removeprefix("per ").strip())

    def clean(self) -> dict[str, Any]:
        """Read a month of each user as such, and refuse a trial that would be called free."""
        cleaned = super().clean()
        per = str(cleaned.get("per", ""))
        if is_per_user(per):
            cleaned |= {"per": MONTH, "per_user": True}
            self.set_by_rule += ["per", "per_user"]
        is_called_trial = "trial" in f"{cleaned.get('name')} {per}".casefold()
        if is_called_trial and cleaned.get("amount") == 0 and per != TRIAL:
            self.add_error("per", f"A trial is not free: write “{TRIAL}” as its period.")
        return cleaned


class PlansFormSet(SourcedFormSet):
    """A form for each plan, in order, and two for new ones."""

    adds_rows = True
    periods = PERIODS

    @cached_property
    def rows(self) -> dict[str, Plan]:
        """The stored plans by their primary keys, in order."""
        plans = sorted(self.get_queryset(), key=lambda plan: (plan.position, plan.pk))
        return {str(plan.pk): plan for plan in plans}

    def shown_keys(self) -> list[str]:
        """The stored plans, then new ones."""
        return [*self.rows, *[""] * NEW_PLANS]

    @property
    def is_open(self) -> bool:
        """Whether the tool is new, or the plans come back to the editor."""
        is_faulty = self.is_bound and bool(self.non_form_errors())
        is_new = not self.instance.pk
        return is_new or needs_a_look(self.forms) or is_faulty or bool(self.filled_in)

    @property
    def what(self) -> str:
        """The stored plans with their prices, in a line."""
        plans = [f"{plan.name}: {plan.price}" for plan in self.rows.values()]
        return ", ".join(plans) or "None yet"

    def key_of(self, form: PlanForm) -> str:
        """Its name."""
        return str(form.instance.name)

    def add_fields(self, form: PlanForm, index: int | None) -> None:
        """Label the inputs, and show the place of a stored plan."""
        super().add_fields(form, index)
        place = form.fields[ORDERING_FIELD_NAME]
        place.label = "Place"
        if form.instance.pk and index is not None:
            place.initial = index + 1
        form.name_inputs(form.instance.name or "New plan")

    def clean(self) -> None:
        """Refuse two plans of one name, currency and period."""
        super().clean()
        seen = set()
        for form in self.forms:
            cleaned = form.cleaned_data if form.is_valid() else {}
            row = form.instance
            own = {name: cleaned.get(name, getattr(row, name)) for name in ("name", "currency")}
            key = (*own.values(), cleaned.get("per", row.per))
            if not key[0] or cleaned.get(DELETION_FIELD_NAME):
                continue
            if key in seen:
                raise ValidationError(
                    f"Two plans are called “{key[0]}” with the same currency and period: change "
                    "one name, or remove one."
                )
            seen.add(key)

    def save_changed(self, changed: Sequence[PlanForm]) -> None:
        """Write changed plans in the order of their places; one without a place comes last."""
        if not changed:
            return
        removed = [form for form in self.deleted_forms if form.instance.pk]
        edits = [PlanEdit(self.instance.pk, form.instance.pk, None) for form in removed]
        for place, form in enumerate(self._in_order(), 1):
            plan = form.instance
            names = changed_fields(form) if plan.pk else PlanForm.Meta.fields
            fields = {name: getattr(plan, name) for name in names}
            if plan.position != place or not plan.pk:
                fields["position"] = place
            if fields:
                edits.append(PlanEdit(self.instance.pk, plan.pk, fields))
        write_plans(edits, self.act)

    def _in_order(self) -> list[PlanForm]:
        """The forms of the plans that stay; an equal place is after the plan that had it."""
        forms = [form for form in self.forms if form.instance.pk or form.has_changed()]
        return sorted((form for form in forms if form not in self.deleted_forms), key=_place_of)


def _place_of(form: PlanForm) -> float:
    """The place that was typed; Django cleans no form without a change, which keeps its own."""
    shown = form.fields[ORDERING_FIELD_NAME].initial
    return form.cleaned_data.get(ORDERING_FIELD_NAME, shown) or math.inf
