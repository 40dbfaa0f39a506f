"""What every source of open data gives: tools with their facts and plans, and what it refuses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Values = dict[str, Any]
"""The keys of an entry of a catalogue document."""


class UnusableFolderError(Exception):
    """A folder is not what the source reads; the message says what is."""


@dataclass(frozen=True)
class Refusal:
    """A file, or a value of it, that is left out, and why."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class SourceTool:
    """A tool as a source describes it."""

    id: str
    """Its id in the source, which stays when its name changes: `openai/gpt-5`."""
    path: str
    """The file that describes it."""
    keys: Values
    """Its own keys of the document, without slug, label, category and source id."""
    facts: Sequence[Values] = ()
    plans: Sequence[Values] = ()


@dataclass
class Reading:
    """What was read in a folder."""

    tools: list[SourceTool] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences on what was left out by intent."""

    def refuse(self, path: str, reason: str) -> None:
        """Note a file or value that is left out."""
        self.refusals.append(Refusal(path, reason))


@dataclass(frozen=True)
class Source:
    """One source of open data. `category` and `attributes` are entries that its document brings
    along where a site lacks them; `read` raises UnusableFolderError.
    """

    name: str
    licence: str
    category: Mapping[str, Any]
    attributes: Sequence[Mapping[str, Any]]
    read: Callable[[Path], Reading]
