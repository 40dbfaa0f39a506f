"""The content as a Django app without models: it registers what builds it."""

from django.apps import AppConfig


class ContentConfig(AppConfig):
    """The public content in memory."""

    name = "shipskip.content"

    def ready(self) -> None:
        """Build the content whenever the content version changes."""
        from shipskip.content.content import Content
        from shipskip.page_cache.content_version import current_version

        current_version.build = Content
