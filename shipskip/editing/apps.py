"""The building blocks of admin screens as a Django app, because it has a model: unsaved texts."""

from django.apps import AppConfig


class EditingConfig(AppConfig):
    """The unsaved text of editors."""

    name = "shipskip.editing"
