"""Addresses of the panel."""

from django.urls import path

from reviews import views

app_name = "reviews"
urlpatterns = [
    path("reviewers/", views.reviewers, name="reviewers"),
    path("reviewers/<slug:slug>/", views.reviewer, name="reviewer"),
    path("tools/<slug:slug>/vote/", views.vote, name="vote"),
]
