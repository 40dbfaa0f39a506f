"""The reviews app: the panel and its takes."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """The panel and the votes."""

    name = "reviews"

    def ready(self) -> None:
        """Count marked tools whenever the content version is looked up in the background."""
        from reviews import figures
        from shipskip.page_cache.content_version import current_version

        current_version.also_look_up(figures.catch_up)
