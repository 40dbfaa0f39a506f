"""The facts and plans on a tool's admin page, and the entry price that follows from plans."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from shipskip.editing.row_locks import locked, saving
from shipskip.web.publishing import Editor
from tools.fact_forms import FactForm, FactsFormSet
from tools.models import Fact, Plan, Tool
from tools.plan_forms import PlanForm, PlansFormSet


class FactInline(admin.TabularInline):  # type: ignore[type-arg]
    """A row for each attribute that is asked of the tool."""

    model = Fact
    form = FactForm
    formset = FactsFormSet
    template = "admin/_facts.html"
    can_delete = False
    fields = ["state", "note", "source", "checked_on", "still_true"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Fact]":
        """With their attributes, in one query; locked while they are saved."""
        facts = super().get_queryset(request).select_related("attribute")
        return locked(facts.order_by("pk")) if saving(request) else facts


class PlanInline(admin.TabularInline):  # type: ignore[type-arg]
    """A row for each price of the tool."""

    model = Plan
    form = PlanForm
    formset = PlansFormSet
    template = "admin/_plans.html"
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Plan]":
        """The plans; locked while they are saved."""
        plans = super().get_queryset(request)
        return locked(plans.order_by("pk")) if saving(request) else plans


def follow_plans(tool: Tool, editor: Editor) -> None:
    """Derive the entry price from the tool's plans, if there are any, and save it."""
    price = Plan.objects.entry_prices([tool.pk]).get(tool.pk)
    if price and tool.entry != price:
        tool.entry = price
        tool.changed_by(editor, "Follows from its plans")
        tool.save(update_fields=["entry"])
