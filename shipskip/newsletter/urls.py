"""Addresses of the newsletter."""

from django.urls import path

from shipskip.newsletter import views

app_name = "newsletter"
urlpatterns = [path("newsletter/join/", views.join, name="join")]
