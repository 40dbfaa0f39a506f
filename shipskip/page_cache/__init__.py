"""A cache of public pages, before all other middleware.

A page is stored under its address and the content version (`content_version.py`): a published
change makes a new version, and with it new keys. A page with tallies expires after 55 seconds.
"""

from collections import Counter

response_counts: Counter[str] = Counter()
"""Responses of this process so far: `hit` and `not_modified` from its memory, `expired` from it
because the page could not be rendered, `shared` from Redis, `miss` rendered. Threads count without
a lock, so a few may be missing.
"""
