"""Senders as processes that start at once: forked from one that has loaded the site already.

Each line read is a command to run in a child of its own; `born PID` and `died STATUS` are answered.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]


class Nursery:
    """The parent of the senders, seen from the test."""

    def __init__(self, database_url: str, port: int) -> None:
        env = {
            "DATABASE_URL": database_url,
            "EMAIL_URL": f"smtp://127.0.0.1:{port}",
            "MAILS_PER_SECOND": "0",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.newsletter.nursery"],
            cwd=ROOT,
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.process.communicate(timeout=60)

    def run(self, words: str, born: Callable[[int], None]) -> int:
        """Run a command in a child, whose process `born` hears of first; its exit status."""
        assert self.process.stdin
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        born(self._hear("born"))
        self.process.stdin.write("\n")  # go: the test knows whom to kill
        self.process.stdin.flush()
        return self._hear("died")

    def _hear(self, word: str) -> int:
        assert self.process.stdout
        said = self.process.stdout.readline().split()
        assert said[:1] == [word], said
        return int(said[1])


def _child(words: list[str], go: int) -> None:
    from django.core.management import call_command

    os.read(go, 1)
    with open(os.devnull, "w") as nowhere:
        call_command(*words, stdout=nowhere)


def main() -> None:
    """Raise children until there is nothing more to read."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    import django

    django.setup()
    import shipskip.newsletter.management.commands.send_newsletter  # noqa: F401

    while words := sys.stdin.readline().split():
        go, say_go = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                _child(words, go)
                status = 0
            finally:
                os._exit(status)
        print(f"born {child}", flush=True)
        sys.stdin.readline()
        os.write(say_go, b"!")
        _, ended = os.waitpid(child, 0)
        print(f"died {os.waitstatus_to_exitcode(ended)}", flush=True)
        os.close(go)
        os.close(say_go)


if __name__ == "__main__":
    main()
