"""Addresses for programs."""

from django.urls import path

from shipskip.programs import about, api, bulk, embeds, feeds, mcp_views, twins
from shipskip.programs.pictures import views as pictures

app_name = "programs"
urlpatterns = [
    path(
        "pictures/compare/<str:pair>/<slug:key>.png", pictures.comparison, name="comparison_picture"
    ),
    path("pictures/tools/<slug:slug>/<slug:key>.png", pictures.tool, name="tool_picture"),
    path(
        "pictures/reviewers/<slug:slug>/<slug:key>.png", pictures.reviewer, name="reviewer_picture"
    ),
    path("mcp/", mcp_views.mcp, name="mcp"),
    path("feeds/verdicts.<feed_format:feed_format>", feeds.verdicts, name="verdicts"),
    path("feeds/changes.<feed_format:feed_format>", feeds.changes, name="changes"),
    path("feeds/issues.<feed_format:feed_format>", feeds.issues, name="issues"),
    path("feeds/categories/<slug:slug>.<feed_format:feed_format>", feeds.category, name="category"),
    path("feeds/reviewers/<slug:slug>.<feed_format:feed_format>", feeds.reviewer, name="reviewer"),
    path("tools.<table:twin>", twins.tools, name="tools_twin"),
    path("tools/<slug:slug>.<twin:twin>", twins.tool, name="tool_twin"),
    path("compare/<str:pair>.<table:twin>", twins.comparison, name="comparison_twin"),
    path("categories/<slug:slug>.<table:twin>", twins.category, name="category_twin"),
    path("reviewers/<slug:slug>.<twin:twin>", twins.reviewer, name="reviewer_twin"),
    path("methodology.<twin:twin>", twins.methodology, name="methodology_twin"),
    path("tools/<slug:slug>/badge.svg", embeds.badge, name="badge"),
    path("tools/<slug:slug>/embed/", embeds.tool, name="tool_embed"),
    path("compare/<str:pair>/embed/", embeds.comparison, name="comparison_embed"),
    path("tools/<slug:slug>/badge.txt", embeds.badge_text, name="badge_code"),
    path("tools/<slug:slug>/embed.txt", embeds.card_text, name="card_code"),
    path("compare/<str:pair>/embed.txt", embeds.comparison_text, name="comparison_code"),
    path("oembed", embeds.oembed, name="oembed"),
    path("llms.txt", embeds.llms, name="llms"),
    path("data/catalogue.json", bulk.document, name="document"),
    path("data/catalogue.zip", bulk.tables, name="tables"),
    path("programs/", about.about, name="about"),
    *api.urlpatterns,
]
