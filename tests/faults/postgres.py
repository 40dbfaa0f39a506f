"""A PostgreSQL of our own, which a test may stop, pause and lock without harm to other work."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Self

from tests.free_port import free_port


def program_folder() -> Path | None:
    """The folder of PostgreSQL's own programs, the newest; None when it is not installed here."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    here = shutil.which("initdb")
    return Path(here).resolve().parent if here else None


class Postgres:
    """One server in a folder, inside `with`; if root runs it, the folder belongs to `postgres`."""

    def __init__(self, folder: Path) -> None:
        programs = program_folder()
        assert programs, "PostgreSQL is not installed here"
        self.programs, self.data, self.port = programs, folder / "postgres", free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        self.data.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres")
            for parent in (self.data.parent, *self.data.parent.parents):
                if parent.stat().st_mode & 0o005 != 0o005 and parent != Path("/"):
                    parent.chmod(parent.stat().st_mode | 0o011)
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "stop", "--mode=immediate", must=False)

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        self._run("pg_ctl", "start", "--wait", "--log", str(self.data / "log"), "-o", options)

    def stop(self) -> None:
        """Stop it at once; its clients lose their connections."""
        self._run("pg_ctl", "stop", "--mode=fast", "--wait")

    def pause(self) -> None:
        """Pause all its processes; the kernel keeps their connections."""
        for process in self._processes():
            os.kill(process, signal.SIGSTOP)

    def resume(self) -> None:
        """Let them continue."""
        for process in self._processes():
            os.kill(process, signal.SIGCONT)

    def _processes(self) -> list[int]:
        """Its process ids, the parent process first."""
        first = (self.data / "postmaster.pid").read_text().split()[0]
        found = subprocess.run(["pgrep", "-P", first], capture_output=True, check=True, text=True)
        return [int(number) for number in [first, *found.stdout.split()]]

    def _run(self, name: str, *arguments: str, must: bool = True) -> None:
        command = [str(self.programs / name), "--pgdata", str(self.data), *arguments]
        if os.geteuid() == 0:
            command = [
                "setpriv",
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                *command,
            ]
        subprocess.run(command, check=must, stdout=subprocess.DEVNULL, cwd="/")
