"""Routes, views and names of the desk's own pages, in the namespace `admin:`."""

from collections.abc import Callable

from django.http.response import HttpResponseBase

from shipskip.desk.coverage import coverage
from shipskip.desk.edit_view import edit
from shipskip.desk.fact_grid_views import due, facts_grid, facts_index
from shipskip.desk.markdown_preview import markdown_preview
from shipskip.desk.recent_changes import changed
from shipskip.desk.search import desk_search
from shipskip.desk.slug_proposal import slug_proposal
from shipskip.desk.upload_views import CATALOGUE, FACTS_CSV, TAKES_CSV

SCREENS: list[tuple[str, Callable[..., HttpResponseBase], str]] = [
    *CATALOGUE.urls,
    *TAKES_CSV.urls,
    *FACTS_CSV.urls,
    ("changed/", changed, "changed"),
    ("coverage/", coverage, "coverage"),
    ("due/", due, "due"),
    ("edit/", edit, "edit"),
    ("facts/", facts_index, "facts-index"),
    ("facts/<slug:slug>/", facts_grid, "facts"),
    ("markdown/", markdown_preview, "markdown"),
    ("search/", desk_search, "search"),
    ("slug/", slug_proposal, "slug"),
]
