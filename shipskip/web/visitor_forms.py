"""Visitors' forms in public pages: what votes, bookmarks and sign-ups have in common.

Such a form has a page of its own, whose POST redirects to the page that says what was done, and an
address for HTMX, which answers with the changed elements. To write one, make a class of it and
give the two functions of `views()` their addresses.
"""

from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from shipskip.web.htmx import came_from, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.refusals import RefusedError
from shipskip.web.same_origin import is_same_origin, same_origin_only
from shipskip.web.visitor import set_visitor_cookie, visitor_of, visitor_or_new

RETRY_SECONDS = 5
"""After how long a form may be sent again that met a database without an answer."""

ROBOT_FIELD_FILLED = (
    "A hidden field was filled in, as robots do. Leave it empty and send the form again."
)

Context = dict[str, object]


class HumanForm(forms.Form):
    """A form with `website`, a hidden field that robots fill in."""

    website = forms.CharField(required=False)

    def clean_website(self) -> str:
        """Refuse robots."""
        if self.cleaned_data["website"]:
            raise ValidationError(ROBOT_FIELD_FILLED)
        return ""

    @property
    def error(self) -> str:
        """The first error as a sentence; empty if there is none."""
        return next((str(errors[0]) for errors in self.errors.values()), "")


class VisitorForm:
    """One request to a visitor's form: a subclass says what it does and shows."""

    template: ClassVar[str]
    changed_template: ClassVar[str]
    unavailable: ClassVar[str]
    """What a 503 says if the database does not answer."""
    sets_cookie = False
    """After `act`: whether the answer sets or renews the visitor's cookies."""

    def __init__(self, request: HttpRequest, slug: str = "") -> None:
        self.request, self.slug, self.now = request, slug, timezone.now()
        self.network = network_of(client_address(request))
        self.is_new = visitor_of(request) is None  # the browser may not accept cookies
        self.visitor, self.back = visitor_or_new(request), came_from(request)

    def act(self) -> None:
        """Do what was sent; raises RefusedError, or Http404."""
        raise NotImplementedError

    def done_url(self) -> str:
        """The page that says what was done."""
        raise NotImplementedError

    def context(self) -> Context:
        """What the page shows."""
        raise NotImplementedError

    def changed(self) -> Context:
        """What the changed elements show, after `act`."""
        raise NotImplementedError

    def refused(self, error: RefusedError) -> Context:
        """What the page shows after a refusal; after a 503 it must not use the database."""
        raise NotImplementedError

    def page(self) -> HttpResponse:
        """The page with the form, or with what was done."""
        return self.render(self.template, self.context())

    def refused_in_place(self, error: RefusedError) -> HttpResponse:
        """For HTMX: the sentence, which the page's script shows beside the unchanged form."""
        return HttpResponse(str(error), content_type="text/plain; charset=utf-8")

    def render(self, template: str, context: Context) -> HttpResponse:
        """Render a template, with the way back."""
        return render(self.request, template, {"next": self.back} | context)

    @classmethod
    def views(cls) -> tuple[Callable[..., HttpResponse], Callable[..., HttpResponse]]:
        """The view of the form's page, and the one for HTMX."""

        @same_origin_only
        @sensitive_post_parameters()
        @require_POST
        def in_place(request: HttpRequest, /, **slug: str) -> HttpResponse:
            return cls(request, **slug)._answer(in_place=True)

        return cls.page_view(), in_place

    @classmethod
    def page_view(cls) -> Callable[..., HttpResponse]:
        """The view of the form's page alone, for a form that HTMX does not send."""

        @same_origin_only
        @sensitive_post_parameters()
        @require_http_methods(["GET", "HEAD", "POST"])
        def page(request: HttpRequest, /, **slug: str) -> HttpResponse:
            return cls(request, **slug)._answer(in_place=False)

        return page

    def _answer(self, *, in_place: bool) -> HttpResponse:
        try:
            if self.request.method != "POST":
                return self.page()
            self.act()
            if in_place:
                response = self.render(self.changed_template, self.changed())
            else:
                response = see_other(self.done_url())
        except RefusedError as refusal:
            error = refusal
        except (OperationalError, InterfaceError):
            error = RefusedError(self.unavailable, 503, RETRY_SECONDS)
        else:
            if self.sets_cookie:
                set_visitor_cookie(response, self.visitor)
            return response
        if in_place:
            return error.headed(self.refused_in_place(error))
        return error.headed(self.render(self.template, self.refused(error)))


class ChoiceForm(VisitorForm):
    """A form with one choice on a tool; the last of the choices takes an earlier one back."""

    url_name: ClassVar[str]
    field: ClassVar[str]
    choices: ClassVar[tuple[str, ...]]
    no_choice: ClassVar[str]
    """The refusal of a form without a choice."""
    not_remembered: ClassVar[str]
    """What a browser reads that stores no cookies."""
    tool: Any
    """The tool, after `load`; the base imports no app."""

    def find(self) -> Any:
        """The public tool with this present or earlier slug, or None."""
        raise NotImplementedError

    def choose(self, chosen: str) -> bool:
        """Do what was chosen; return whether that stored something of the visitor, from which on
        the cookies are counted. Raises RefusedError.
        """
        raise NotImplementedError

    def message(self, chosen: str) -> str:
        """What was done."""
        raise NotImplementedError

    def unsent(self, chosen: str) -> Context:
        """What keeps the choice for another try, without the database."""
        return {"unsent": chosen}

    def load(self) -> str:
        """Load the tool and return its present slug; raises Http404."""
        self.tool = self.find()
        if self.tool is None:
            raise Http404("There is no tool at this address.")
        return str(self.tool.slug)

    def act(self) -> None:
        """Do what was chosen."""
        self.slug = self.load()
        if not (chosen := self._chosen(self.request.POST, self.field)):
            raise RefusedError(self.no_choice, 400)
        self.sets_cookie = self.choose(chosen)
        self.chosen = chosen

    def done_url(self) -> str:
        """The form's own page."""
        back = self.back or reverse("tools:detail", args=[self.slug])
        query = urlencode({"done": self.chosen, "next": back})
        return f"{reverse(self.url_name, args=[self.slug])}?{query}"

    def page(self) -> HttpResponse:
        """The form, or what was done: only after our own redirect, so that no link causes it."""
        if (slug := self.load()) != self.slug:
            return redirect(self.url_name, slug, permanent=True)
        done = self._chosen(self.request.GET, "done") if is_same_origin(self.request) else ""
        lost = self._is_lost(done)
        notice = self.not_remembered if lost else self.message(done) if done else ""
        return self.render(self.template, self.context() | {"notice": notice, "lost": lost})

    def changed(self) -> Context:
        """The same as on the page, and what was done."""
        done: Context = {"message": self.message(self.chosen)}
        if self._is_lost(self.chosen):
            done["not_remembered"] = self.not_remembered
        return self.context() | done

    def refused(self, error: RefusedError) -> Context:
        """The page with the refusal; without the database it keeps the choice."""
        if error.status != 503:
            return self.context() | {"refused": str(error)}
        unsent = self.unsent(self._chosen(self.request.POST, self.field))
        return {"slug": self.slug, "notice": str(error)} | unsent

    def _is_lost(self, chosen: str) -> bool:
        """Whether the browser sent no cookie with a choice that it should remember."""
        return self.is_new and chosen not in ("", self.choices[-1])

    def _chosen(self, data: object, name: str) -> str:
        """The choice that a form or query has under this name; empty if missing or invalid."""
        field = forms.ChoiceField(choices=[(each, each) for each in self.choices])
        form = type("Form", (forms.Form,), {name: field})(data)
        return form.cleaned_data[name] if form.is_valid() else ""
