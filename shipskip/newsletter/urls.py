"""URLs of the newsletter."""

from datetime import date

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from shipskip.newsletter.delivery import webhooks
from shipskip.newsletter.issues import archive_views
from shipskip.newsletter.subscribers import leave_views, views


class KeyConverter(StringConverter):
    """The random key in links of mails."""

    regex = "[A-Za-z0-9_-]{32}"


class DayConverter:
    """A day as `2026-05-01`."""

    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """The date; ValueError, and so a 404, for a date that does not exist."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        """The date as `2026-05-01`."""
        return value.isoformat()


register_converter(KeyConverter, "key")
register_converter(DayConverter, "day")

app_name = "newsletter"
urlpatterns = [
    path("newsletter/", archive_views.archive, name="archive"),
    path("newsletter/<day:day>/", archive_views.issue, name="issue"),
    path("newsletter/join/", views.join, name="join"),
    path("newsletter/join/in-place/", views.join_in_place, name="join_in_place"),
    path("newsletter/confirm/<key:key>/", views.confirm, name="confirm"),
    path("newsletter/leave/<key:key>/", leave_views.leave, name="leave"),
    path("newsletter/forget/<key:key>/", leave_views.forget, name="forget"),
    path("newsletter/allow/<key:key>/", leave_views.allow, name="allow"),
    *webhooks.url_patterns(),
]
