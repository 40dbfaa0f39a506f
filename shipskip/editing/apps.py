"""The building blocks of admin screens as a Django app, for the text that is not saved yet."""

from django.apps import AppConfig


class EditingConfig(AppConfig):
    """The unsaved text of editors."""

    name = "shipskip.editing"
