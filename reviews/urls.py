"""Addresses of the panel."""

from django.urls import path

from reviews import me_views, views, vote_views

app_name = "reviews"
urlpatterns = [
    path("reviewers/", views.reviewers, name="reviewers"),
    path("reviewers/<slug:slug>/", views.reviewer, name="reviewer"),
    path("tools/<slug:slug>/vote/", vote_views.vote, name="vote"),
    path("tools/<slug:slug>/vote/in-place/", vote_views.vote_in_place, name="vote_in_place"),
    path("me/", me_views.me, name="me"),
    path("me/data.json", me_views.my_data, name="data"),
    path("me/marks/", me_views.marks, name="marks"),
    path("me/forget/", me_views.forget_me, name="forget"),
]
