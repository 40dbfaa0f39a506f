"""Read settings from the environment and `.env`, and collect a sentence for each invalid one."""

from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

from shipskip.operations.settings_doctor.rules import nearest_name

T = TypeVar("T")
OTHERS = {"POSTGRES_PASSWORD", "TEST_POSTGRES_URL"}
"""Names in `.env` or the environment for other programs: deploy/compose.yaml, `make test`."""


class Environment:
    """The settings as text. The environment takes precedence over the file."""

    def __init__(self, file: Path, process: Mapping[str, str]) -> None:
        self.faults: list[str] = []
        self.known: set[str] = set()
        self._file = self._read_file(file)
        self._process = process

    def read(
        self, name: str, rule: Callable[[str], T], *, default: T, is_secret: bool = False
    ) -> T:
        """The value of a setting; its default if it is missing, empty or invalid.

        If the rule raises a ValueError, the text of the error is added to the faults, without the
        value if the setting is a secret.
        """
        self.known.add(name)
        text = self._process.get(name, self._file.get(name, "")).strip()
        if not text:
            return default
        try:
            return rule(text)
        except ValueError as error:
            self.faults.append(f"{name if is_secret else f'{name}={text}'}: {error}.")
            return default

    def check_environment_only(self, name: str, rule: Callable[[str], object]) -> None:
        """Check a setting that only deploy/serve reads, from the environment."""
        self.read(name, rule, default=None)
        if name in self._file and name not in self._process:
            self.faults.append(
                f"{name} in .env is not read: set it in the environment of deploy/serve."
            )

    def stop_if_wrong(self) -> None:
        """Raise ImproperlyConfigured with every fault; call it when all settings were read."""
        if faults := [*self.faults, *self._unknown()]:
            raise ImproperlyConfigured(
                "\n".join(["The settings are wrong:", *(f"  {fault}" for fault in faults)])
                + "\nCorrect them in .env or in the environment; .env.example describes each."
            )

    def _unknown(self) -> list[str]:
        """A sentence for each unknown name in the file, and for each name in the environment that
        resembles a setting; most names in the environment belong to other programs.
        """
        known = self.known | OTHERS
        faults = [
            f"{name} in .env is not a setting of this site{nearest_name(name, known)}."
            for name in self._file.keys() - known
        ]
        distinct = {name for name in self.known if "_" in name}
        faults += [
            f"{name} in the environment is not a setting of this site{meant}."
            for name in self._process.keys() - known - self._file.keys()
            if (meant := nearest_name(name, distinct, cutoff=0.85))
        ]
        return sorted(faults)

    def _read_file(self, path: Path) -> dict[str, str]:
        """The names and values of `.env`; empty without the file."""
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            self.faults.append(f"{path} cannot be read ({reason}): correct it, or remove it.")
            return {}
        for number, line in enumerate(lines, 1):
            name, equals, _ = line.removeprefix("export ").partition("=")
            if line.strip() and not line.startswith("#") and not (equals and name.isidentifier()):
                self.faults.append(f".env, line {number}: write NAME=value, without spaces.")
                lines[number - 1] = ""  # django-environ would log it with its value

        class File(environ.Env):  # type: ignore[misc]  # the library has no types
            ENVIRON: dict[str, str] = {}

        File.read_env(StringIO("\n".join(lines)))
        return File.ENVIRON
