"""The page cache as a Django app; its label is from the time when it stood in `shipskip.web`."""

from django.apps import AppConfig


class PageCacheConfig(AppConfig):
    """The content version and the cache of pages."""

    name = "shipskip.page_cache"
    label = "web"
