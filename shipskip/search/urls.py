"""Addresses of the search."""

from django.urls import path

from shipskip.search import views

app_name = "search"
urlpatterns = [
    path("search/", views.results, name="results"),
    path("search/suggest/", views.suggest, name="suggest"),
    path("search/opensearch.xml", views.description, name="description"),
]
