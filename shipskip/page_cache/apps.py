"""The page cache as a Django app; the label `web` stays because table names depend on it."""

from django.apps import AppConfig


class PageCacheConfig(AppConfig):
    """The content version and the cache of pages."""

    name = "shipskip.page_cache"
    label = "web"
