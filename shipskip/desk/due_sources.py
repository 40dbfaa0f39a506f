"""What was found at the sources of facts and prices: a list, from which an editor renews them."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from shipskip.editing.bulk_saves import Save
from shipskip.editing.edit_conflicts import Versions
from shipskip.editing.row_locks import retry_concurrent_save
from shipskip.web.filters import FilterForm
from shipskip.web.htmx import see_other
from shipskip.web.paging import page_or_first
from tools.fact_writing import FactEdit, PlanEdit, lock_tools, write_facts, write_plans
from tools.models import Fact, Outcome, Plan, SourceCheck, Tool

PAGE_SIZE = 50
OLD, FACTS, PLANS = "old", "facts", "plans"
_KEY = re.compile(r"[0-9]{1,18}", re.ASCII)


class SourcesFilterForm(FilterForm):
    """`kind`, `what` and `page` of the list."""

    kind = forms.ChoiceField(
        label="Of", required=False, choices=[(FACTS, "Answers"), (PLANS, "Prices")]
    )
    what = forms.ChoiceField(
        label="Show",
        required=False,
        choices=[
            ("", "Old, and the quote is still there"),
            (OLD, "Old"),
            *((each.value, each.label) for each in Outcome),
        ],
    )


class RenewForm(forms.Form):
    """Which rows of the page are still true: `renew` is one of them, else the ticked ones are. The
    versions that the editor saw are read by the names of their inputs.
    """

    renew = forms.CharField(required=False, max_length=18)
    tick = forms.Field(required=False, widget=forms.MultipleHiddenInput)

    @property
    def keys(self) -> list[int]:
        """The primary keys of the rows to renew."""
        one = str(self.cleaned_data["renew"])
        given = [one] if one else list(self.cleaned_data["tick"] or ())[:PAGE_SIZE]
        return [int(key) for key in dict.fromkeys(given) if _KEY.fullmatch(key)]

    def opened(self, key: int) -> str:
        """The version of a row that the page showed."""
        return str(self.data.get(f"version-{key}", ""))


@dataclass(frozen=True)
class SourceRow:
    """A fact or plan, with what was last found at its source."""

    row: Fact | Plan
    check: SourceCheck | None
    history_id: str
    may_renew: bool

    @property
    def subject(self) -> str:
        """The question or the plan."""
        return str(self.row.attribute if isinstance(self.row, Fact) else self.row.name)

    @property
    def words(self) -> str:
        """The answer or the price."""
        return self.row.words if isinstance(self.row, Fact) else self.row.price

    @property
    def is_ticked(self) -> bool:
        """Whether the quote is still there, so that it is probably still true."""
        return self.check is not None and self.check.outcome == Outcome.THERE


@require_http_methods(["GET", "HEAD", "POST"])
def due_sources(request: HttpRequest) -> HttpResponse:
    """List facts or prices by what was found at their sources; POST renews some."""
    if not request.user.has_perms(["tools.view_tool", "tools.view_fact", "tools.view_plan"]):
        raise PermissionDenied
    filters = SourcesFilterForm(request.GET)
    chosen = filters.validate()
    model = Plan if chosen["kind"] == PLANS else Fact
    if request.method == "POST":
        form = RenewForm(request.POST)
        if form.is_valid():
            retry_concurrent_save(lambda: _renew(request, model, form))
        return see_other(request.get_full_path())
    page = page_or_first(
        _rows(model, chosen["what"], timezone.now()), chosen, filters.notices, PAGE_SIZE
    )
    checks = SourceCheck.objects.of(page.rows)
    versions = Versions(model, [row.pk for row in page.rows])
    rows = [
        SourceRow(
            row,
            checks.get((row.source, row.quote)),
            versions.newest(row.pk),
            _may_renew(request, model, row.tool),
        )
        for row in page.rows
    ]
    context = {
        **admin.site.each_context(request),
        "title": "What the sources say",
        "filters": [filters["kind"], filters["what"]],
        "chosen": chosen,
        "notices": filters.notices,
        "page": page,
        "rows": rows,
        "may_renew": any(row.may_renew for row in rows),
    }
    return render(request, "admin/due_sources.html", context)


def _rows(model: type[Fact] | type[Plan], what: str, now: datetime) -> "QuerySet[Any]":
    """Rows of public tools, those that were checked longest ago first."""
    rows: QuerySet[Any] = model.objects.on_public_tools(now)
    if what in ("", OLD):
        rows = model.objects.on_public_tools(now).old(now)
    if what != OLD:
        rows = SourceCheck.objects.filter_rows(rows, what or Outcome.THERE)
    related = ["tool", "attribute"] if model is Fact else ["tool"]
    rows = rows.select_related(*related).defer("tool__description")
    return rows.order_by(F("checked_on").asc(nulls_first=True), "pk")


def _may_renew(request: HttpRequest, model: type[Fact] | type[Plan], tool: Tool) -> bool:
    """Whether this editor may change facts or plans of a tool."""
    may_change = request.user.has_perm(f"tools.change_{model._meta.model_name}")
    return may_change and (request.user.has_perm("tools.publish_tool") or not tool.published_at)


@transaction.atomic
def _renew(
    request: HttpRequest, model: type[Fact] | type[Plan], form: RenewForm
) -> HttpResponse | None:
    """Store that the chosen rows were checked today, without those that changed since they were
    shown, and say how many.
    """
    assert isinstance(request.user, User)  # noqa: S101 - for the type checker
    keys = form.keys
    lock_tools(sorted(model.objects.filter(pk__in=keys).values_list("tool_id", flat=True)))
    found: QuerySet[Any] = model.objects.filter(pk__in=keys)
    versions = Versions(model, keys)
    own = [
        row
        for row in found.select_related("tool").order_by("pk")
        if versions.newest(row.pk) == form.opened(row.pk) and _may_renew(request, model, row.tool)
    ]
    save = Save(user=request.user, now=timezone.now())
    today = {"checked_on": timezone.localdate()}
    if model is Fact:
        write_facts([FactEdit((row.tool_id, row.attribute_id), today) for row in own], save)
    else:
        write_plans([PlanEdit(row.tool_id, row.pk, today) for row in own], save)
    one, several = ("answer", "answers") if model is Fact else ("price", "prices")
    if own:
        messages.success(request, f"{len(own)} {one if len(own) == 1 else several} renewed.")
    if left := len(keys) - len(own):
        what = f"{left} {one if left == 1 else several}"
        messages.warning(request, f"{what} not renewed: changed meanwhile, or not yours to change.")
    if not keys:
        messages.info(request, "Nothing was ticked.")
    return None
