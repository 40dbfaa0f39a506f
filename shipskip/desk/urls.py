"""Routes, views and names of the desk's own pages, in the namespace `admin:`."""

from collections.abc import Callable

from django.http.response import HttpResponseBase

from shipskip.desk.coverage import coverage
from shipskip.desk.due_sources import due_sources
from shipskip.desk.edit_view import edit
from shipskip.desk.exchange import download, exchange, load
from shipskip.desk.fact_grid_views import due, facts_grid, facts_index
from shipskip.desk.markdown_preview import markdown_preview
from shipskip.desk.recent_changes import changed
from shipskip.desk.search import desk_search
from shipskip.desk.slug_proposal import slug_proposal

SCREENS: list[tuple[str, Callable[..., HttpResponseBase], str]] = [
    ("changed/", changed, "changed"),
    ("coverage/", coverage, "coverage"),
    ("due/", due, "due"),
    ("due/sources/", due_sources, "due-sources"),
    ("edit/", edit, "edit"),
    ("exchange/", exchange, "exchange"),
    ("exchange/load/", load, "exchange-load"),
    ("exchange/download/<slug:name>/", download, "exchange-download"),
    ("facts/", facts_index, "facts-index"),
    ("facts/<slug:slug>/", facts_grid, "facts"),
    ("markdown/", markdown_preview, "markdown"),
    ("search/", desk_search, "search"),
    ("slug/", slug_proposal, "slug"),
]
