"""A small disk of our own, which a test of a full disk may fill to its last byte."""

import os
import subprocess
from pathlib import Path
from typing import Self

MEGABYTES = 24
BLOCK = 4096


class SmallDisk:
    """A file system in memory, mounted in `folder` inside `with`; only root may mount."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "disk"
        self.filler = self.place / "filler"
        self.url = f"sqlite:///{self.place / 'site.sqlite3'}"

    @staticmethod
    def possible() -> bool:
        """Whether it can be mounted here."""
        return os.geteuid() == 0 and Path("/proc/mounts").exists()

    def __enter__(self) -> Self:
        self.place.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={MEGABYTES}m"]
        subprocess.run(["mount", *options, "shipskip-fault", str(self.place)], check=True)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.place)], check=True)

    def fill(self) -> None:
        """Fill every free block."""
        with self.filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * BLOCK)
            except OSError:
                pass

    def free(self) -> None:
        """Free the filled blocks."""
        self.filler.unlink()
