"""Addresses of tools and categories."""

from django.urls import path

from tools import bookmark_views, list_views, views

app_name = "tools"
urlpatterns = [
    path("tools/", list_views.tool_list, name="list"),
    path("tools/<slug:slug>/", views.detail, name="detail"),
    path("tools/<slug:slug>/changes/", views.changes, name="changes"),
    path("preview/tools/<str:token>/", views.preview, name="preview"),
    path("categories/", views.categories, name="categories"),
    path("categories/<slug:slug>/", list_views.category, name="category"),
    path("tools/<slug:slug>/bookmark/", bookmark_views.bookmark, name="bookmark"),
    path(
        "tools/<slug:slug>/bookmark/in-place/",
        bookmark_views.bookmark_in_place,
        name="bookmark_in_place",
    ),
    path("bookmarks/", bookmark_views.bookmarks, name="bookmarks"),
]
