"""Routes, views and names of the desk's own pages, in the namespace `admin:`."""

from collections.abc import Callable

from django.http.response import HttpResponseBase

from shipskip.desk import catalogue_views
from shipskip.desk.coverage import coverage
from shipskip.desk.fact_grid_views import facts_grid, facts_index
from shipskip.desk.featured import feature, featured
from shipskip.desk.markdown_preview import markdown_preview
from shipskip.desk.search import desk_search
from shipskip.desk.slug_proposal import slug_proposal
from shipskip.desk.unsaved import discard_text, store_text

SCREENS: list[tuple[str, Callable[..., HttpResponseBase], str]] = [
    ("catalogue/", catalogue_views.catalogue, "catalogue"),
    ("catalogue/load/", catalogue_views.load_catalogue, "catalogue-load"),
    ("catalogue/download/", catalogue_views.download_catalogue, "catalogue-download"),
    ("coverage/", coverage, "coverage"),
    ("facts/", facts_index, "facts-index"),
    ("facts/<slug:slug>/", facts_grid, "facts"),
    ("facts-csv/", catalogue_views.facts, "facts-csv"),
    ("facts-csv/load/", catalogue_views.load_facts, "facts-csv-load"),
    ("facts-csv/download/", catalogue_views.download_facts, "facts-csv-download"),
    ("featured/", featured, "featured"),
    ("featured/<int:pk>/", feature, "feature"),
    ("markdown/", markdown_preview, "markdown"),
    ("search/", desk_search, "search"),
    ("slug/", slug_proposal, "slug"),
    ("takes-csv/", catalogue_views.takes, "takes-csv"),
    ("takes-csv/load/", catalogue_views.load_takes, "takes-csv-load"),
    ("takes-csv/download/", catalogue_views.download_takes, "takes-csv-download"),
    ("unsaved/", store_text, "unsaved"),
    ("unsaved/discard/", discard_text, "unsaved-discard"),
]
