"""A cache of public pages, before all other middleware.

A page is stored under its address and the content version (`content_version.py`): a published
change makes a new version, and with it new keys. A page with tallies expires after 55 seconds.
"""

from collections import Counter
from collections.abc import Callable

counts: Counter[str] = Counter()
"""Responses of this process so far: `hit` and `not_modified` from its memory, `shared` from
Redis, `miss` rendered. Threads count without a lock, so a few may be missing.
"""

after_look_up: list[Callable[[], None]] = []
"""Called after each look-up of the content version, about once a second under load. The metrics
read `counts` here.
"""
