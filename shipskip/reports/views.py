"""The pages of reports: the form, a reporter's own page, and the public corrections."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from shipskip.content.content import Content
from shipskip.content.current import content_of, from_content, with_content
from shipskip.content.records import Tool
from shipskip.reports import deciding
from shipskip.reports.forms import AboutForm, CorrectionsForm, ReplyForm, ReportForm
from shipskip.reports.models import Decision, Report, Result
from shipskip.reports.reporting import Told, take_report
from shipskip.reports.subjects import Groups, names_by_key, subjects_of
from shipskip.web.cache_control import not_cached, public
from shipskip.web.htmx import see_other
from shipskip.web.paging import page_or_first
from shipskip.web.refusals import RefusedError
from shipskip.web.visitor_forms import Context, VisitorForm


@require_safe
@public(query=["about"])
@with_content
def report(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """The form to say that something about a tool is wrong."""
    tool, groups = _tool_and_groups(content, slug)
    if tool.slug != slug:
        return redirect("reports:report", tool.slug, permanent=True)
    query = AboutForm(request.GET, groups)
    about = query.validate()["about"]
    chosen = {"about": about, "notices": query.notices}
    context = {"tool": tool, "slug": tool.slug, "groups": groups, **chosen}
    return not_cached(render(request, "reports/report.html", context), when=query.notices)


@require_safe
@public
def suggest(request: HttpRequest) -> HttpResponse:
    """The form to suggest a tool."""
    return render(request, "reports/report.html")


class SendReport(VisitorForm):
    """Takes a report on the tool with a slug, or without one the suggestion of a tool."""

    template = "reports/report.html"
    unavailable = "Your report could not be saved. Send it again in a moment."
    tool: Tool | None = None
    groups: Groups = {}
    form: ReportForm | None = None

    def load(self) -> None:
        """Load the tool, if there is one, and what a report on it may be about."""
        if self.slug:
            found = from_content(lambda each: _tool_and_groups(each, self.slug), self.request)
            self.tool, self.groups = found
            self.slug = self.tool.slug

    def act(self) -> None:
        """Store the report."""
        self.load()
        names = names_by_key(self.groups) if self.slug else {}
        self.form = ReportForm(self.request.POST, names)
        if not self.form.is_valid():
            raise RefusedError(self.form.error, 400)
        told = self.form.cleaned_data
        self.report = take_report(
            Told(
                text=told["text"],
                source=told["source"],
                address=told["address"].typed if told["address"] else "",
                tool_id=self.tool.pk if self.tool else None,
                about=told["about"],
                subject=names.get(told["about"], ""),
            ),
            self.network,
            self.now,
        )

    def done_url(self) -> str:
        """The reporter's own page."""
        return self.report.link

    def context(self) -> Context:
        """The empty form, as on its public page."""
        self.load()
        return {"tool": self.tool, "slug": self.slug, "groups": self.groups}

    def refused(self, error: RefusedError) -> Context:
        """The form with all that was typed, and what is wrong with it."""
        form = self.form or ReportForm(self.request.POST, {})
        typed = {"form": form, "about": form["about"].value(), "refused": str(error)}
        return {"tool": self.tool, "slug": self.slug, "groups": self.groups, **typed}


send = SendReport.page_view()


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def follow(request: HttpRequest, token: str) -> HttpResponse:
    """A reporter's own page, by its secret link: what became of the report, an editor's question,
    which they answer here, and what they wrote, which they can delete.
    """
    found = Report.objects.with_link(token)
    if found is None:
        return render(request, "reports/unknown_link.html", status=404)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        deciding.reply(found, form.cleaned_data["text"], timezone.now())
        return see_other(request.path)
    context = {
        "report": found,
        "decision": found.decision,
        "form": form,
        "tool": _shown(request, found),
    }
    return render(request, "reports/follow.html", context, status=400 if form.is_bound else 200)


@require_POST
def delete(request: HttpRequest, token: str) -> HttpResponse:
    """Delete what a reporter wrote, by the secret link."""
    found = Report.objects.with_link(token)
    if found is None:
        return render(request, "reports/unknown_link.html", status=404)
    deciding.take_back(found)
    return render(request, "reports/deleted.html", {"decision": found.decision})


@require_safe
@public(query=CorrectionsForm.base_fields)
@with_content
def corrections(request: HttpRequest, content: Content) -> HttpResponse:
    """What readers reported and what became of it, newest first."""
    form = CorrectionsForm(request.GET)
    chosen = form.validate()
    tool = content.tool_at(chosen["tool"]) if chosen["tool"] else None
    if chosen["tool"] and tool is None:
        form.notices.append(form.notice_of("tool", chosen["tool"]))
    chosen["tool"] = tool.slug if tool else ""
    decisions = Decision.objects.public(content.now).latest_first()
    rows = decisions.filter(tool=tool.pk) if tool else decisions
    context = {
        "page": page_or_first(rows, chosen, form.notices),
        "tool": tool,
        "chosen": chosen,
        "spam": Decision.objects.filter(result=Result.SPAM).count(),
        "notices": form.notices,
    }
    return not_cached(render(request, "reports/corrections.html", context), when=form.notices)


def _shown(request: HttpRequest, report: Report) -> Tool | None:
    """The tool that a report is about, if readers see it now."""
    content = content_of(request)
    return next(iter(content.having([report.tool_id])), None) if report.tool_id else None


def _tool_and_groups(content: Content, slug: str) -> tuple[Tool, Groups]:
    """The public tool with this present or earlier slug, and what a report may be about."""
    tool = content.tool_at(slug)
    if tool is None:
        raise Http404("There is no tool at this address.")
    return tool, subjects_of(content.full([tool])[0], content.attributes)
