"""What every app of the site may use: it imports none of them."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """What every app may use."""

    name = "shipskip.web"
