"""The feed of corrections."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.reports.models import Decision
from shipskip.web.cache_control import public
from shipskip.web.feeds import MAX_ENTRIES, SITE_NAME, Entry, EntryList, feed_response


@require_safe
@public
@with_content
def feed(request: HttpRequest, content: Content, feed_format: str) -> HttpResponse:
    """The newest corrections, in the editors' words."""
    rows = Decision.objects.public(content.now).latest_first()[:MAX_ENTRIES]
    listed = EntryList(
        title=f"{SITE_NAME}: corrections",
        description="What readers reported, and what became of it.",
        path=reverse("reports:corrections"),
        entries=[_entry(row) for row in rows],
    )
    return feed_response(request, listed, feed_format)


def _entry(decision: Decision) -> Entry:
    words = "<p>{}</p><p>{}: {}</p><p>Decided {}.</p>"
    result = decision.get_result_display()
    return Entry(
        key=f"correction-{decision.pk}",
        path=f"{reverse('reports:corrections')}#correction-{decision.pk}",
        title=f"{decision.name} ({result.lower()})",
        html=format_html(words, decision.wrong, result, decision.outcome, decision.time_taken),
        published_at=decision.decided_at,
        updated_at=decision.decided_at,
    )
