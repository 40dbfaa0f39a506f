"""The facts and plans on a tool's admin page."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from shipskip.editing.row_locks import locked, saving
from tools.fact_forms import FactForm, FactsFormSet
from tools.models import Fact, Plan
from tools.plan_forms import PlanForm, PlansFormSet


class FactInline(admin.TabularInline):  # type: ignore[type-arg]
    """A row for each attribute that is asked of the tool."""

    model = Fact
    form = FactForm
    formset = FactsFormSet
    template = "admin/_facts.html"
    can_delete = False
    fields = ["note", "note_only_explains", "source", "checked_on", "still_true"]

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
