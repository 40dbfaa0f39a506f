"""The page on which publishers order the featured comparisons of the home page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from comparisons.models import ON_HOME_PAGE, Comparison, ComparisonQuerySet
from shipskip.editing.row_locks import locked
from shipskip.editing.states import state_in_words, waits_for
from shipskip.search.models import SearchKind
from shipskip.search.searching import Scope, search
from shipskip.web.filters import FilterForm
from shipskip.web.htmx import see_other

MAX_SHOWN = 100
MAX_FOUND = 20
_PLACE = re.compile(r"place-([0-9]{1,18})")
_NUMBER = "Enter a whole number from 0 to 9999."


class FeaturedSearchForm(FilterForm):
    """`q` of the search, and the row that was just moved, so that it keeps the focus."""

    q = forms.CharField(label="Search", required=False, max_length=100)
    moved = forms.IntegerField(required=False)
    by = forms.ChoiceField(required=False, choices=[("up", "up"), ("down", "down")])


class OrderForm(forms.Form):
    """A number for each displayed comparison, and the button that was pressed."""

    up = forms.IntegerField(required=False)
    down = forms.IntegerField(required=False)
    off = forms.IntegerField(required=False)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        texts = dict.fromkeys(("required", "invalid", "min_value", "max_value"), _NUMBER)
        for name in data:
            if _PLACE.fullmatch(name):
                self.fields[name] = forms.IntegerField(
                    min_value=0, max_value=9999, error_messages=texts
                )

    @property
    def numbers(self) -> dict[int, int]:
        """The numbers by primary key, in the order of the page."""
        found = {name: _PLACE.fullmatch(name) for name in self.cleaned_data}
        return {int(key[1]): self.cleaned_data[name] for name, key in found.items() if key}


@dataclass(frozen=True)
class FeaturedRow:
    """A featured comparison on the page."""

    comparison: Comparison
    number: str
    seen: str
    fault: str = ""
    focus: str = ""
    """The button that has the focus: `up`, `down` or none."""


def reordered(current: Sequence[int], numbers: dict[int, int]) -> list[int]:
    """The featured comparisons in the order of their numbers; equal numbers keep their order.

    Comparisons that the editor did not see come last in their current order; those no longer
    featured are left out.
    """
    known = [pk for pk in numbers if pk in current]
    return sorted(known, key=numbers.__getitem__) + [pk for pk in current if pk not in numbers]


def shifted(order: Sequence[int], pk: int, step: int) -> list[int]:
    """The order with one comparison moved by `step` positions, at most to an end."""
    at = order.index(pk)
    rest = [other for other in order if other != pk]
    to = min(max(at + step, 0), len(rest))
    return [*rest[:to], pk, *rest[to:]]


@require_http_methods(["GET", "HEAD", "POST"])
def featured(request: HttpRequest) -> HttpResponse:
    """Show the featured comparisons; POST saves the order, or moves or removes one."""
    _publishers_only(request)
    if request.method != "POST":
        return _screen(request)
    form = OrderForm(request.POST)
    if not form.is_valid():
        return _screen(request, form)
    back = reverse("admin:featured")
    up, down, off = (form.cleaned_data[name] for name in ("up", "down", "off"))
    with transaction.atomic():
        Comparison.objects.featured().lock()
        rows = {row.pk: row for row in _featured()}
        order = reordered(list(rows), form.numbers)
        moved = next((pk for pk in (up, down, off) if pk is not None), None)
        if moved is not None and moved not in rows:
            messages.warning(request, "Another editor removed this comparison in the meantime.")
        elif moved is None:
            messages.success(request, "The order is saved.")
        elif off is not None:
            order.remove(off)
            rows[off].changed_by(request.user)
            rows[off].unfeature()
            messages.success(request, f"“{rows[off]}” is no longer featured.")
        else:
            order = shifted(order, moved, -1 if up is not None else 1)
            by = "up" if up is not None else "down"
            back += f"?{urlencode({'moved': moved, 'by': by})}"
        Comparison.objects.featured().set_positions(order)
    return see_other(back)


@require_POST
def feature(request: HttpRequest, pk: int) -> HttpResponse:
    """Feature a comparison, as the last one; idempotent."""
    _publishers_only(request)
    with transaction.atomic():
        rows = Comparison.objects.of_existing_tools().with_tools()
        row = get_object_or_404(locked(rows), pk=pk)
        row.changed_by(request.user)
        row.feature()
    messages.success(request, f"“{row}” is featured, after the others.")
    text = request.POST.get("q", "")[:100]
    return see_other(reverse("admin:featured") + (f"?{urlencode({'q': text})}" if text else ""))


def _publishers_only(request: HttpRequest) -> None:
    if not request.user.has_perm("comparisons.publish_comparison"):
        raise PermissionDenied


def _featured() -> ComparisonQuerySet:
    """The featured comparisons of tools that are not deleted, in their order."""
    return Comparison.objects.of_existing_tools().featured().with_tools().featured_first()


def _screen(request: HttpRequest, order: OrderForm | None = None) -> HttpResponse:
    """The page; invalid numbers are shown again with their errors."""
    now = timezone.now()
    form = FeaturedSearchForm(request.GET)
    chosen = form.validate()
    current = list(_featured()[: MAX_SHOWN + 1])
    others = Comparison.objects.of_existing_tools().not_featured().with_tools().newest()
    if chosen["q"]:
        keys = search(chosen["q"], Scope(None, [SearchKind.COMPARISON])).keys(SearchKind.COMPARISON)
        others = others.filter(pk__in=keys)
    found = list(others[: MAX_FOUND + 1])
    context = {
        **admin.site.each_context(request),
        "title": "Featured comparisons",
        "rows": _rows(current[:MAX_SHOWN], order, chosen, now),
        "more": len(current) > MAX_SHOWN,
        "shown": MAX_SHOWN,
        "on_home_page": ON_HOME_PAGE,
        "found": [(row, state_in_words(row)) for row in found[:MAX_FOUND]],
        "too_many": len(found) > MAX_FOUND,
        "chosen": chosen,
        "notices": form.notices,
        "refused": order is not None,
    }
    return render(request, "admin/featured.html", context, status=400 if order else 200)


def _rows(
    current: Sequence[Comparison], order: OrderForm | None, chosen: dict[str, Any], now: datetime
) -> list[FeaturedRow]:
    """The rows of the page, each with its number and where readers see it."""
    rows: list[FeaturedRow] = []
    public = 0
    for number, row in enumerate(current, 1):
        hidden = _hidden(row, now)
        public += not hidden
        seen = "Home page" if public <= ON_HOME_PAGE else "List of comparisons"
        name, focus = f"place-{row.pk}", ""
        if row.pk == chosen["moved"]:
            focus = chosen["by"] or ""
            focus = {1: "down", len(current): "up"}.get(number, focus)
        refused = order is not None and name in order.data
        rows.append(
            FeaturedRow(
                row,
                number=str(order.data[name]) if order and refused else str(number),
                seen=hidden or seen,
                fault=" ".join(map(str, order.errors.get(name, []))) if order else "",
                focus=focus,
            )
        )
    return rows


def _hidden(row: Comparison, now: datetime) -> str:
    """Why readers do not see a comparison yet; empty if they do."""
    state = row.state(now)
    if state != "public":
        return ("" if state == "withdrawn" else "Not public yet: ") + state_in_words(row)
    others = waits_for(row, now)
    return f"Not public yet: waits for {' and '.join(others)}" if others else ""
