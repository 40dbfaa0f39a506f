"""How the page cache answered, and what is in it."""

from django.test import Client

from shipskip.operations.observability.metrics import WORKER_REGISTRY
from shipskip.page_cache.middleware import cache


def answered(outcome: str) -> int:
    """The number of responses with this outcome, such as `hit`, of this process."""
    return int(WORKER_REGISTRY.get_sample_value("shipskip_memory_total", {"outcome": outcome}) or 0)


def is_hit(client: Client, path: str) -> bool:
    """Whether the cache answers a request for this path."""
    before = answered("hit")
    client.get(path)
    return answered("hit") > before


def age_cached_pages(seconds: float) -> None:
    """Make the cached pages older by this number of seconds."""
    pages = [(memory, dict(memory.pages)) for memory in (cache.pages, cache.others)]
    for memory, rows in pages:
        memory.pages.clear()
        for key, page in rows.items():
            memory.set(key, page._replace(expires=page.expires - seconds))
