"""The metrics of all workers of a server: each writes its own to a file that the others read.

A file is written and then renamed (an atomic replacement). It is not mapped into memory like
prometheus_client's own files: a process that writes to a mapped file is killed when the disk is
full.
"""

import json
import logging
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock, Thread
from time import sleep, time_ns

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

log = logging.getLogger(__name__)

INTERVAL = 5.0
"""Seconds between two writes, and so the maximum age of the other workers' numbers."""

Sums = dict[tuple[str, tuple[tuple[str, str], ...]], float]
"""Numbers by a sample's name and labels."""


class AllWorkers(Collector):
    """The sums of the metrics of all workers of a server, including those that have ended.

    If the files cannot be used, this worker shows its own numbers, and no request fails.
    """

    def __init__(self, worker: CollectorRegistry) -> None:
        self.worker = worker
        self.file: Path | None = None
        self._failed, self._lock = False, Lock()

    def start(self, folder: Path) -> None:
        """Share this worker's numbers in `folder` from now on, in the background.

        The workers of one server share a folder in it, named for the process that started them.
        Folders of servers that have ended are removed.
        """
        for path in folder.glob("[0-9]*"):
            if not _alive(int(path.name)):
                shutil.rmtree(path, ignore_errors=True)
        self.file = folder / str(os.getppid()) / f"{os.getpid()}-{time_ns()}.json"
        Thread(target=self._write_always, name="metrics", daemon=True).start()

    def write(self) -> None:
        """Write this worker's numbers; the first failure in a row is logged."""
        if self.file is None:
            return
        rows = [[s.name, s.labels, s.value] for row in self.worker.collect() for s in row.samples]
        draft = self.file.with_suffix(".draft")
        with self._lock:
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                draft.write_text(json.dumps(rows))
                draft.replace(self.file)
            except OSError as error:
                if not self._failed:
                    log.warning("This worker's metrics are not shared with the others: %s", error)
                self._failed = True
            else:
                self._failed = False

    def collect(self) -> Iterator[Metric]:
        """The sums; a worker's numbers that cannot be read are left out."""
        self.write()
        sums = self._others()
        for family in self.worker.collect():
            for sample in family.samples:
                sums[sample.name, tuple(sorted(sample.labels.items()))] += sample.value
            family.samples = [
                Sample(name, dict(labels), value)
                for (name, labels), value in sums.items()
                if name.startswith(family.name)
            ]
            yield family

    def _others(self) -> Sums:
        """The sums of the other workers."""
        sums: Sums = defaultdict(float)
        paths = self.file.parent.glob("*.json") if self.file else ()
        for path in paths:
            if path == self.file:
                continue
            try:
                rows = json.loads(path.read_text())
            except (OSError, ValueError) as error:
                log.warning("The metrics of a worker cannot be read: %s", error)
                continue
            for name, labels, value in rows:
                sums[name, tuple(sorted(labels.items()))] += value
        return sums

    def _write_always(self) -> None:
        while True:
            self.write()
            sleep(INTERVAL)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # the process is running as another user
    return True
