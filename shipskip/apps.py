"""The site itself: its pages, its commands, and no models of its own."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The site itself."""

    name = "shipskip"
    label = "site_pages"
    verbose_name = "Ship or Skip"
