"""The facts and plans on a tool's admin page."""

from typing import Any

from django.http import HttpRequest

from shipskip.editing.row_forms import RowInline
from tools.fact_forms import FactForm, FactsFormSet
from tools.models import Fact, Plan, Tool
from tools.plan_forms import PlanForm, PlansFormSet


class FactInline(RowInline):
    """A row for each attribute that is asked of the tool."""

    model = Fact
    form = FactForm
    formset = FactsFormSet
    template = "admin/_facts.html"
    fields = [*FactForm.Meta.fields, "still_true"]
    related = ["attribute"]


class PlanInline(RowInline):
    """A row for each price of the tool."""

    model = Plan
    form = PlanForm
    formset = PlansFormSet
    template = "admin/_plans.html"
    fields = [*PlanForm.Meta.fields, "still_true"]

    def get_formset(self, request: HttpRequest, obj: Tool | None = None, **kwargs: Any) -> Any:
        """Who may change plans may order and remove them."""
        return super().get_formset(request, obj, can_order=True, can_delete=True, **kwargs)
