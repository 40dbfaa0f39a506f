"""Addresses of reports and corrections."""

from django.urls import path

from shipskip.reports import feed_views, views

app_name = "reports"
urlpatterns = [
    path("corrections/", views.corrections, name="corrections"),
    path("feeds/corrections.<feed_format:feed_format>", feed_views.feed, name="feed"),
    path("corrections/suggest/", views.suggest, name="suggest"),
    path("corrections/suggest/send/", views.send, name="send_suggestion"),
    path("corrections/follow/<str:token>/", views.follow, name="follow"),
    path("corrections/follow/<str:token>/delete/", views.delete, name="delete"),
    path("tools/<slug:slug>/report/", views.report, name="report"),
    path("tools/<slug:slug>/report/send/", views.send, name="send"),
]
