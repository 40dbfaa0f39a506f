"""The jobs app: the commands that timers call."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """When jobs are due, and their last runs."""

    name = "shipskip.jobs"
