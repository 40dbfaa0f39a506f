"""The Markdown preview of the desk's text fields."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from shipskip.editing.fields import preview
from shipskip.web.htmx import fragment_or_page


@require_POST
def markdown_preview(request: HttpRequest) -> HttpResponse:
    """Render the text of the field named by `?field=`; a full page without JavaScript."""
    name = request.GET.get("field") or request.POST.get("field", "")
    context = {
        "preview": preview(request.POST.get(name, "")),
        **admin.site.each_context(request),
        "title": "As readers will see it",
    }
    return fragment_or_page(
        request, "admin/_markdown_preview.html", "admin/markdown_preview.html", context
    )
