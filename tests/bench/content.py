"""`python -m tests.bench.content`: build the content of DATABASE_URL once, in a process of its own.

Prints one line of JSON: `core` (seconds of processor time), `seconds` (elapsed) and `bytes` (how
much the memory of the process grew).
"""

import gc
import json
import os
import resource
from pathlib import Path
from time import monotonic, process_time

import django


def measure() -> dict[str, float]:
    """The figures of one build, after the modules and the database connection are ready."""
    from django.db import connection
    from django.utils import timezone

    from shipskip.page_cache.content_version import current_version, stored_number
    from shipskip.web.read_snapshot import read_snapshot

    connection.ensure_connection()
    gc.collect()
    before, start, core = _resident_bytes(), monotonic(), process_time()
    with read_snapshot():
        content = current_version.build(stored_number(), timezone.now(), None)
    found = {"core": process_time() - core, "seconds": monotonic() - start}
    gc.collect()
    size = _resident_bytes() - before
    del content  # it lived until its size was measured
    return found | {"bytes": size}


def _resident_bytes() -> int:
    """The resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    print(json.dumps(measure()))
