"""The plans on a tool's admin page: its prices in order, and rows for new ones."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.utils.functional import cached_property

from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.folds import needs_a_look
from shipskip.editing.keyed_forms import KeyedFormSet
from tools.fact_forms import SourcedForm
from tools.fact_writing import PlanEdit, write_plans
from tools.models import PERIODS, Plan

NEW_PLAN_KEYS = ("new1", "new2")
"""The keys of the rows for new plans."""
LAST = 999
"""The temporary place of a plan without one, until it is saved; higher than any other place."""


class PlanForm(SourcedForm[Plan]):
    """One price."""

    remove = forms.BooleanField(required=False, label="Remove", label_suffix="")
    content = ("name", "amount", "currency", "per", "per_user", "source")

    class Meta:
        model = Plan
        fields = [
            *("position", "name", "amount", "currency", "per", "per_user"),
            *("note", "source", "checked_on"),
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["per"].widget.attrs["list"] = "plan-periods"
        self.fields["currency"].widget.attrs |= {"size": "3", "autocapitalize": "characters"}
        self.fields["amount"].widget = forms.TextInput({"inputmode": "decimal", "size": "8"})
        self.fields["position"].required = False
        self.fields["position"].validators.append(MaxValueValidator(LAST))
        if not self.instance.pk:
            self.initial["position"] = None
        else:
            self.initial["amount"] = Decimal(f"{self.instance.amount.normalize():f}")
        self.name_inputs(self.instance.name or "New plan")

    def clean_currency(self) -> str:
        """The code in capitals."""
        return str(self.cleaned_data["currency"]).upper()

    def clean_position(self) -> int:
        """The place; an empty one is the last."""
        place = self.cleaned_data["position"]
        return LAST if place is None else int(place)

    @property
    def is_removed(self) -> bool:
        """Whether the save removes the plan."""
        return bool(self.cleaned_data.get("remove"))


class PlansFormSet(KeyedFormSet):
    """A form for each plan, in order, and two for new ones."""

    periods = PERIODS

    @cached_property
    def stored(self) -> dict[str, Plan]:
        """The stored plans by their primary keys, in order."""
        plans = sorted(self.get_queryset(), key=lambda plan: (plan.position, plan.pk))
        return {str(plan.pk): plan for plan in plans}

    @cached_property
    def form_keys(self) -> list[str]:  # type: ignore[override]
        """The stored plans, then those that were removed while they were edited, then new ones."""
        keys = list(self.stored)
        if self.is_bound:
            sent = [name.split("-") for name in self.data if name.startswith(f"{self.prefix}-")]
            keys += dict.fromkeys(part[1] for part in sent if part[2:] and part[1].isdigit())
        return list(dict.fromkeys([*keys, *NEW_PLAN_KEYS]))

    @property
    def is_open(self) -> bool:
        """Whether the tool is new, or the plans come back to the editor."""
        is_faulty = self.is_bound and bool(self.non_form_errors())
        return not self.instance.pk or needs_a_look(self.forms) or is_faulty

    @property
    def what(self) -> str:
        """The stored plans with their prices, in a line."""
        plans = [f"{plan.name}: {plan.price}" for plan in self.stored.values()]
        return ", ".join(plans) or "None yet"

    def row_of(self, key: str) -> Plan:
        """The plan with this key, or a new one."""
        plan = self.stored.get(key) or Plan()
        plan.tool = self.instance
        return plan

    def add_fields(self, form: PlanForm, index: int | None) -> None:
        """Leave out the field of the tool, which is known."""
        super().add_fields(form, index)
        form.fields.pop("tool", None)

    def clean(self) -> None:
        """Refuse two plans of one name, currency and period."""
        super().clean()
        seen = set()
        for form in self.forms:
            cleaned = form.cleaned_data if form.is_valid() else {}
            row = form.instance
            own = {name: cleaned.get(name, getattr(row, name)) for name in ("name", "currency")}
            key = (*own.values(), cleaned.get("per", row.per))
            if not key[0] or cleaned.get("remove"):
                continue
            if key in seen:
                raise ValidationError(
                    f"Two plans are called “{key[0]}” with the same currency and period: change "
                    "one name, or remove one."
                )
            seen.add(key)

    def save_changed(self, changed: Sequence[PlanForm]) -> None:
        """Write changed plans; a new one without a place comes last."""
        highest = max((plan.position for plan in self._placed), default=0)
        edits: list[PlanEdit] = []
        for form in changed:
            plan = form.instance
            if form.is_removed:
                edits += [PlanEdit(self.instance.pk, plan.pk, None)] if plan.pk else []
                continue
            if plan.position == LAST:
                highest = plan.position = min(highest + 1, LAST - 1)
            names = changed_fields(form) if plan.pk else PlanForm.Meta.fields
            fields = {name: getattr(plan, name) for name in names}
            edits.append(PlanEdit(self.instance.pk, plan.pk, fields))
        write_plans(edits, self.act)

    @property
    def _placed(self) -> list[Plan]:
        """The plans with a place."""
        forms = [form for form in self.forms if form.instance.pk or form.has_changed()]
        plans = [form.instance for form in forms if not form.is_removed]
        return [plan for plan in plans if plan.position != LAST]
