"""The folder in which the workers of a server share their metrics: prometheus_client's own
multi-process mode, which the variable PROMETHEUS_MULTIPROC_DIR turns on (deploy/serve sets it and
empties the folder). Imported before prometheus_client, which reads the variable once.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
FILES = {"counter": 1024, "histogram": 1024, "gauge_livesum": 64}
"""The kinds of the library's files, one of each for a worker, and the KiB that each can need: a
histogram of every view, and twelve pairs of method and status (a test counts them).
"""


def share_metrics() -> None:
    """Allocate the files of this worker, or turn sharing off: then it shows only its own metrics.

    The library maps its files into memory without allocating them: a worker that writes to one on
    a full disk is killed. It uses a file that exists as it is.
    """
    folder = Path(os.environ[VARIABLE])
    files = [folder / f"{kind}_{os.getpid()}.db" for kind in FILES]
    draft = folder / f"{os.getpid()}.draft"  # other workers read no unfinished file
    try:
        for file, kib in zip(files, FILES.values(), strict=True):
            with draft.open("wb") as new:
                os.posix_fallocate(new.fileno(), 0, kib * 1024)
            draft.replace(file)
    except OSError as error:
        log.warning("This worker's metrics are not shared with the others: %s", error)
        for file in (*files, draft):
            with suppress(OSError):
                file.unlink()
        del os.environ[VARIABLE]


def dead_workers(folder: str) -> set[int]:
    """The process ids of workers that have ended, and whose gauges still count."""
    files = Path(folder).glob("gauge_live*_*.db")
    workers = {int(file.stem.rpartition("_")[2]) for file in files}
    return {worker for worker in workers if not Path(f"/proc/{worker}").exists()}
