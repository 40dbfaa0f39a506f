"""The Django app of the site: its pages and commands; it has no models."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class SiteConfig(AppConfig):
    """The configuration of the site's app."""

    name = "shipskip"
    label = "site_pages"
    verbose_name = "Ship or Skip"

    def ready(self) -> None:
        """Register the check of production settings for `check --deploy`."""
        from shipskip.checks import nothing_for_everybody, public_address

        register(public_address, Tags.security, deploy=True)
        register(nothing_for_everybody, Tags.security, deploy=True)
