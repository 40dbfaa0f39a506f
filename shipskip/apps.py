"""The site itself: its pages, its commands, and no models of its own."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class SiteConfig(AppConfig):
    """The site itself."""

    name = "shipskip"
    label = "site_pages"
    verbose_name = "Ship or Skip"

    def ready(self) -> None:
        """Let `check --deploy` judge the settings that production needs."""
        from shipskip.checks import public_address

        register(public_address, Tags.security, deploy=True)
