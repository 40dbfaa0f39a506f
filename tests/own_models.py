"""The apps and models of the project's own packages."""

from django.apps import AppConfig, apps
from django.db.models import Model

from tests.source_files import PACKAGES


def own_apps() -> list[AppConfig]:
    """The apps in our packages."""
    return [app for app in apps.get_app_configs() if app.name.partition(".")[0] in PACKAGES]


def own_models() -> list[type[Model]]:
    """The models of these apps, without their histories."""
    models = [model for app in own_apps() for model in app.get_models()]
    return [model for model in models if not model.__name__.startswith("Historical")]
