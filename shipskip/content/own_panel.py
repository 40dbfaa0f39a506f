"""A reader's own panel: a weight from 0 to 3 for each reviewer, in the address of a page.

`?weigh-skeptic=3&weigh-pm=0`: the default weight is 1. `?weigh=own` shows the sliders with our
weights. The effect of weights is defined in scoring.py and comparisons/answer.py.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.encoding import escape_uri_path
from django.utils.functional import cached_property

from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.records import Reviewer
from shipskip.web.cache_control import not_cached
from shipskip.web.filters import FilterForm
from shipskip.web.text import bidi_isolated

P = ParamSpec("P")

Parameters = Sequence[tuple[str, str]]
"""Keys and values of a query string."""

WEIGH_KEY = "weigh"
"""The query key that shows the sliders, and the prefix of the weights' keys."""

MAX_WEIGHT = 3
"""The highest weight."""


def with_parameters(address: str, parameters: Parameters) -> str:
    """Append these parameters to the query of an address."""
    if not parameters:
        return address
    rest, mark, fragment = address.partition("#")
    return f"{rest}{'&' if '?' in rest else '?'}{urlencode(parameters)}{mark}{fragment}"


def weight_parameter(slug: str, weight: int) -> tuple[str, str]:
    """The query parameter that gives a reviewer a weight: `weigh-skeptic=3`."""
    return f"{WEIGH_KEY}-{slug}", str(weight)


@dataclass(frozen=True)
class OwnPanel:
    """The weights that a reader chose: `weights` contains those other than 1 by primary key.

    `reviewers` are all public ones, in panel order; `notices` list the values that were left out.
    The pages that use weights are /compare/, /tools/, /categories/ and those one level below. In
    templates their addresses end in `query`, or in `more` where they have a query already.
    """

    reviewers: Sequence[Reviewer] = ()
    weights: Mapping[int, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    is_shown: bool = False
    """Whether the page is one of a reader's own panel, with sliders."""
    path: str = ""
    other_parameters: Parameters = ()
    """The other parts of the query, without the page number."""

    @property
    def is_open(self) -> bool:
        """Whether the sliders are unfolded: they are until weights are chosen."""
        return not self.weights

    @property
    def rows(self) -> list[tuple[Reviewer, int]]:
        """Each reviewer with the weight."""
        return [(row, self.weights.get(row.pk, 1)) for row in self.reviewers]

    @property
    def parameters(self) -> Parameters:
        """The weights as query parameters in canonical form, without defaults."""
        rows = [(row, weight) for row, weight in self.rows if weight != 1]
        return [weight_parameter(row.slug, weight) for row, weight in rows]

    @cached_property
    def query(self) -> str:
        """The weights as the query of an address: `?weigh-skeptic=3`; empty without weights."""
        return with_parameters("", self.parameters)

    @cached_property
    def more(self) -> str:
        """The weights for an address that has a query: `&weigh-skeptic=3`; empty without them."""
        return self.query.replace("?", "&", 1)

    @property
    def words(self) -> str:
        """The weights other than 1: `Skeptic ×3, PM ×0`."""
        return ", ".join(f"{row.name} ×{weight}" for row, weight in self.rows if weight != 1)

    @property
    def raised(self) -> list[tuple[int, str]]:
        """The reviewers that count more than once, by primary key and name."""
        return [(row.pk, bidi_isolated(row.name)) for row, weight in self.rows if weight > 1]

    @property
    def excluded(self) -> list[int]:
        """The reviewers that do not count, by primary key."""
        return [pk for pk, weight in self.weights.items() if not weight]

    @property
    def counts_nobody(self) -> bool:
        """Whether every weight is 0, so that nothing has a verdict."""
        return bool(self.weights) and not any(weight for _, weight in self.rows)

    @property
    def address(self) -> str:
        """The page's address, to share it."""
        return with_parameters(self.path, [*self.other_parameters, *self.parameters])

    @property
    def reset(self) -> str:
        """The same page with our panel."""
        return with_parameters(self.path, self.other_parameters)

    def carried(self, address: str) -> str:
        """Add the weights to an address of this site."""
        return with_parameters(address, self.parameters)


NO_OWN_PANEL = OwnPanel()
"""No weights of a reader's own: the panel as it is."""


class OwnPanelForm(FilterForm):
    """`weigh`, and a weight for each of these reviewers: `weigh-skeptic`."""

    weigh = forms.ChoiceField(label="panel", required=False, choices=[("own", "Your own")])

    def __init__(
        self, data: QueryDict, reviewers: Sequence[Reviewer], *, refuses: bool = False
    ) -> None:
        super().__init__(data)
        self.refuses = refuses
        del self.fields["page"]  # the page's own form reads it
        for row in reviewers:
            weights = [(str(weight), str(weight)) for weight in range(MAX_WEIGHT + 1)]
            key = f"{WEIGH_KEY}-{row.slug}"
            self.fields[key] = forms.ChoiceField(label=row.name, required=False, choices=weights)
            if len(data.getlist(key)) > 1:
                left_out = "" if refuses else "; they were left out"
                self.notices.append(f"{row.name} has more than one weight{left_out}.")
                self.fields[key].disabled = True  # so that all its values are ignored

    def is_meant(self, key: str) -> bool:
        """Whether an unknown key was meant as a weight."""
        return key.startswith(f"{WEIGH_KEY}-")

    def notice_of(self, field: str, given: str) -> str:
        """The message about an invalid value."""
        if field == WEIGH_KEY:
            return f"“{given}” is no panel{self.left_out}."
        name = self.fields[field].label
        return f"“{given}” is not a weight for {name}{self.left_out}. Use 0, 1, 2 or 3."

    def notice_of_key(self, key: str) -> str:
        """The message about a weight for an unknown reviewer."""
        return f"“{key}” is no reviewer’s weight{self.left_out}."


def own_panel(
    path: str, query: QueryDict, reviewers: Sequence[Reviewer], *, refuses: bool = False
) -> OwnPanel:
    """The own panel in the query of a request; if there is none, NO_OWN_PANEL. `refuses`: the
    caller answers notices with an error.
    """
    if not any(key.startswith(WEIGH_KEY) for key in query):
        return NO_OWN_PANEL
    form = OwnPanelForm(query, reviewers, refuses=refuses)
    chosen = form.validate()
    given = {row.pk: int(chosen[f"{WEIGH_KEY}-{row.slug}"] or 1) for row in reviewers}
    weights = {pk: weight for pk, weight in given.items() if weight != 1}
    shown = bool(weights or chosen[WEIGH_KEY] or form.notices)
    other_parameters = [(key, value) for key, value in _others(query) if value and key != "page"]
    return OwnPanel(reviewers, weights, form.notices, shown, path, other_parameters)


def with_own_panel(
    view: Callable[Concatenate[HttpRequest, Content, OwnPanel, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Pass the content and the reader's own panel to a public view, and add the weights to its
    redirects.

    An address with default weights redirects to the canonical URL without them, because a form
    sends every slider. Our caches do not store pages with an own panel.
    """

    @with_content
    @wraps(view)
    def answer(
        request: HttpRequest, content: Content, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        own = own_panel(escape_uri_path(request.path), request.GET, content.reviewers)
        if own is not NO_OWN_PANEL and (shorter := _shorter(request, own)) is not None:
            return redirect(shorter)
        response = view(request, content, own, *args, **kwargs)
        if response.status_code in (301, 302):
            response["Location"] = own.carried(response["Location"])
        elif own is not NO_OWN_PANEL and response.status_code == 200:
            not_cached(response, when=WEIGH_KEY)
        return response

    return answer


def _shorter(request: HttpRequest, own: OwnPanel) -> str | None:
    """The canonical URL of the request; None if it is the requested one, or if the page has to
    report values that it left out.
    """
    asked = [each for each in _parameters(request.GET) if each[0].startswith(WEIGH_KEY)]
    wanted = own.parameters or ([(WEIGH_KEY, "own")] if own.is_shown else [])
    if own.notices or sorted(asked) == sorted(wanted):
        return None
    return with_parameters(own.path, [*_others(request.GET), *wanted])


def _others(query: QueryDict) -> list[tuple[str, str]]:
    return [each for each in _parameters(query) if not each[0].startswith(WEIGH_KEY)]


def _parameters(query: QueryDict) -> list[tuple[str, str]]:
    return [(key, value) for key, values in query.lists() for value in values]
