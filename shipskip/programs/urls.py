"""Addresses for programs."""

from django.urls import path

from shipskip.programs import feeds

app_name = "programs"
urlpatterns = [
    path("feeds/verdicts.<feed_format:feed_format>", feeds.verdicts, name="verdicts"),
    path("feeds/changes.<feed_format:feed_format>", feeds.changes, name="changes"),
    path("feeds/issues.<feed_format:feed_format>", feeds.issues, name="issues"),
    path("feeds/categories/<slug:slug>.<feed_format:feed_format>", feeds.category, name="category"),
    path("feeds/reviewers/<slug:slug>.<feed_format:feed_format>", feeds.reviewer, name="reviewer"),
]
