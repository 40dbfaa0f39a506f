"""Bookmarks: saving a tool, removing it, and the list of them."""

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.addresses import MAX_TOOLS, picker_address
from shipskip.content.bookmark_drawer import BookmarkDrawer
from shipskip.content.current import content_of
from shipskip.content.starting_points import starting_points
from shipskip.limits.act_limits import admit_new_browser
from shipskip.web.filters import texts_field
from shipskip.web.refusals import RefusedError
from shipskip.web.slugs import validate_slug
from shipskip.web.visitor import visitor_of
from shipskip.web.visitor_forms import ChoiceForm, Context
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

TOO_FEW = "Tick at least two tools, and compare again."
TOO_MANY = f"At most {MAX_TOOLS} tools can be compared: untick some, and compare again."


class CompareForm(forms.Form):
    """`compare` of the list: the button was pressed; `tools`: the slugs of the ticked tools."""

    compare = forms.BooleanField(required=False)
    tools = texts_field()


class RemovedForm(forms.Form):
    """`removed` of the list: the slug of the tool that was just removed."""

    removed = forms.CharField(required=False, validators=[validate_slug])


class BookmarkForm(ChoiceForm):
    """Saves a tool on a visitor's list, or removes it."""

    url_name, field, choices = "tools:bookmark", "saved", ("yes", "no")
    template, changed_template = "tools/bookmark.html", "tools/_bookmark_response.html"
    no_choice = "Choose to save the tool or to remove it."
    not_remembered = (
        "This browser stores no cookies of this site, so it cannot save tools. Allow cookies first."
    )
    unavailable = "Your list could not be changed. Try again in a moment."

    def find(self) -> Tool | None:
        """The public tool to save."""
        return Tool.objects.for_detail_page(self.now).at(self.slug)

    def choose(self, chosen: str) -> bool:
        """Save or remove the tool."""
        if chosen == "no":
            Bookmark.objects.remove_tool(self.tool, self.visitor)
            return False
        with transaction.atomic():
            if self.is_new:
                admit_new_browser(self.network, self.now)
            bookmark = Bookmark.objects.save_tool(self.tool, self.visitor, self.now)
        if bookmark is None:
            full = f"Your list is full at {MAX_BOOKMARKS} tools. Remove one first."
            raise RefusedError(full, 409)
        return bookmark.saved_at == self.now

    def done_url(self) -> str:
        """A form in the list leads back to the list."""
        from_list = self.back.partition("?")[0] == reverse("tools:bookmarks")
        return self.back if from_list else super().done_url()

    def message(self, chosen: str) -> str:
        """What was done."""
        return f"{'Saved' if chosen == 'yes' else 'Removed'} {self.tool.name}."

    def context(self) -> Context:
        """The tool and the drawer with the list."""
        visitor = None if self.is_new and not self.sets_cookie else self.visitor
        rows = list(Bookmark.objects.for_drawer(visitor, self.now))
        saved = any(row.tool_id == self.tool.pk for row in rows)
        drawer = BookmarkDrawer(rows)
        return {"tool": self.tool, "slug": self.tool.slug, "saved": saved, "drawer": drawer}

    def unsent(self, chosen: str) -> Context:
        """The state in which the button offers the same choice again."""
        return {"saved": chosen == "no"}


bookmark, bookmark_in_place = BookmarkForm.views()


@require_safe
def bookmarks(request: HttpRequest) -> HttpResponse:
    """This visitor's saved tools, newest first, with "compare these" and undo.

    `?compare=yes&tools=a&tools=b` redirects to their comparison; if there are too few or too many,
    the list is shown again with the same ticks.
    """
    now, sent = timezone.now(), CompareForm(request.GET)
    sent.full_clean()
    ticked, fault = sent.cleaned_data["tools"], ""
    if sent.cleaned_data["compare"]:
        if 2 <= len(ticked) <= MAX_TOOLS:
            return redirect(picker_address(ticked))
        fault = TOO_FEW if len(ticked) < 2 else TOO_MANY
    rows = list(Bookmark.objects.for_drawer(visitor_of(request), now))
    form, removed = RemovedForm(request.GET), None
    if form.is_valid() and form.cleaned_data["removed"]:
        removed = Tool.objects.published(now).at_any([form.cleaned_data["removed"]]).first()
    if removed and any(row.tool_id == removed.pk for row in rows):
        removed = None
    if not fault and len(rows) > 1:
        ticked = [row.tool.slug for row in rows[:MAX_TOOLS]]
    context = {
        "bookmarks": rows,
        "removed": removed,
        "most": MAX_BOOKMARKS,
        "ticked": ticked,
        "fault": fault,
        "start": None if rows else starting_points(content_of(request)),
    }
    return render(request, "tools/bookmarks.html", context)
