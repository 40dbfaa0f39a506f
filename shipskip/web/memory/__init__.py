"""Public pages from memory: kept as they left, and answered before anything else runs.

A page is made anew when the content version rises, a scheduled moment passes, or a tally that it
shows joins (`knowledge.py`); a process looks that up at most once a second.
"""

from collections import Counter
from collections.abc import Callable

counts: Counter[str] = Counter()
"""What this process answered so far: `hit` and `not_modified` from memory, `shared` from what
another process made, `miss` rendered, `stale` those of them that were known but no longer true.
It only rises. Threads count without a lock, so a few may be missing.
"""

after_looks: list[Callable[[], None]] = []
"""What a process calls after each look at the content version: about once a second while it is
asked for pages, and so a place to pass on what has been counted.
"""
