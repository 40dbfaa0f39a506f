"""The building blocks of admin screens as a Django app, because it has migrations."""

from django.apps import AppConfig


class EditingConfig(AppConfig):
    """The screens of rows that editors write."""

    name = "shipskip.editing"
