"""Addresses of tools side by side."""

from django.urls import path

from comparisons import views

app_name = "comparisons"
urlpatterns = [
    path("compare/", views.picker, name="picker"),
    path("compare/suggest/", views.suggest, name="suggest"),
    path("compare/<str:pair>/", views.detail, name="detail"),
    path("preview/comparisons/<str:token>/", views.preview, name="preview"),
]
