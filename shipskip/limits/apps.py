"""The limits app: salts of the day, and how many acts were counted in a window."""

from django.apps import AppConfig


class LimitsConfig(AppConfig):
    """Salts and counts of acts."""

    name = "shipskip.limits"
