"""The reports app: readers say that something is wrong or missing, and what became of it."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Reports and decisions."""

    name = "shipskip.reports"
    label = "reports"
    verbose_name = "Reports"
