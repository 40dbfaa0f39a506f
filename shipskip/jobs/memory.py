"""A limit of memory for a part of a job whose input others write."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAGES_OF_DATA = Path("/proc/self/statm")


@contextmanager
def memory_limit(more_bytes: int) -> Iterator[None]:
    """Inside `with` the process may have so much more memory than it has; what needs more gets a
    MemoryError. Only on Linux: elsewhere nothing is limited.
    """
    if not _PAGES_OF_DATA.exists():
        yield
        return
    used = int(_PAGES_OF_DATA.read_text().split()[5]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = used + more_bytes
    if before[0] != resource.RLIM_INFINITY:
        most = min(most, before[0])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
