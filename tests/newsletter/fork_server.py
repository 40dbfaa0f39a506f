"""Start senders quickly: fork them from a process that has loaded the site already.

Each input line is a command to run in a child; the replies are `started PID` and `exited STATUS`.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]


class ForkServer:
    """The parent process of the senders, as used by a test."""

    def __init__(self, database_url: str, port: int) -> None:
        self.printed = tempfile.NamedTemporaryFile("r")  # noqa: SIM115 - closed at the end
        env = {
            "PRINTED": self.printed.name,
            "DATABASE_URL": database_url,
            "EMAIL_URL": f"smtp://127.0.0.1:{port}",
            "MAILS_PER_SECOND": "0",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.newsletter.fork_server"],
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
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.process.communicate(timeout=300)
        self.printed.close()

    def run(self, words: str, on_start: Callable[[int], None]) -> int:
        """Run a command in a child and return its exit status; `on_start` gets its pid first."""
        assert self.process.stdin
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        on_start(self._read_reply("started"))
        self.process.stdin.write("\n")  # the child may start: the test knows its pid now
        self.process.stdin.flush()
        return self._read_reply("exited")

    def output(self, *words: str) -> str:
        """Run a command in a child and return its output; fails if the command fails."""
        assert self.run(" ".join(words), lambda pid: None) == 0, words
        return Path(self.printed.name).read_text()

    def _read_reply(self, word: str) -> int:
        assert self.process.stdout
        reply = self.process.stdout.readline().split()
        assert reply[:1] == [word], reply
        return int(reply[1])


def _child(words: list[str], go: int) -> None:
    from django.core.management import call_command

    os.read(go, 1)
    with open(os.environ["PRINTED"], "w") as printed:
        call_command(*words, stdout=printed)


def main() -> None:
    """Fork a child for each input line, until the end of input."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    import django

    django.setup()
    from django.urls import reverse

    import shipskip.newsletter.management.commands.newsletter  # noqa: F401

    reverse("home")  # every child would load all views for the links of its mails
    while words := sys.stdin.readline().split():
        go, send_go = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                _child(words, go)
                status = 0
            finally:
                os._exit(status)
        print(f"started {child}", flush=True)
        sys.stdin.readline()
        os.write(send_go, b"!")
        _, ended = os.waitpid(child, 0)
        print(f"exited {os.waitstatus_to_exitcode(ended)}", flush=True)
        os.close(go)
        os.close(send_go)


if __name__ == "__main__":
    main()
