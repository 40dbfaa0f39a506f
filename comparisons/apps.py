"""The comparisons app: tools side by side."""

from django.apps import AppConfig


class ComparisonsConfig(AppConfig):
    """Tools side by side."""

    name = "comparisons"
