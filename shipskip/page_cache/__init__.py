"""A cache of public pages; its middleware runs before all others.

The cache key of a page contains its address and the content version (`content_version.py`). A
published change raises the version and so invalidates every page. A page with tallies also expires
after 55 seconds.
"""

from prometheus_client import Counter

RESPONSES = Counter(
    "shipskip_memory", "Responses of the page cache by outcome.", ["outcome"], registry=None
)
response_counts = {
    outcome: RESPONSES.labels(outcome) for outcome in ("hit", "not_modified", "expired", "miss")
}
"""The number of responses of this process by source: `hit` and `not_modified` from its memory,
`expired` an expired page from its memory because rendering failed, `miss` rendered.
"""
