"""The search app: the index, the ranking, the page and its commands."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """The search index, and the synonyms that editors write."""

    name = "shipskip.search"
    label = "search"
    verbose_name = "Search"

    def ready(self) -> None:
        """Index changed rows, and load new words, whenever the content version is looked up in the
        background.
        """
        from shipskip.page_cache.content_version import current_version
        from shipskip.search import indexing
        from shipskip.search.vocabulary import vocabulary

        current_version.also_look_up(indexing.catch_up)
        current_version.also_look_up(vocabulary.renew)
