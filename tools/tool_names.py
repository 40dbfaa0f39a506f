"""The names of a tool wherever it is shown, so that two tools of one name can be told apart."""

from typing import Protocol

from shipskip.web.text import shorten

LONGEST_LABEL = 24


class NamedTool(Protocol):
    """What the names are made of."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def tagline(self) -> str: ...
    @property
    def slug(self) -> str: ...
    @property
    def shares_name(self) -> bool:
        """Whether another public tool has this name."""


class TitledTool(NamedTool, Protocol):
    """The same, with what distinguishes it from its namesakes."""

    @property
    def distinction(self) -> str: ...
    @property
    def title(self) -> str: ...


class ToolNames:
    """The names of a tool, as methods of whatever describes one."""

    __slots__ = ()

    def __str__(self: NamedTool) -> str:
        return f"{self.name} ({self.label or self.tagline or self.slug})"

    @property
    def labelled_name(self: NamedTool) -> str:
        """The name with its label, if it has one: for lists, which show a tagline below."""
        return f"{self.name} ({self.label})" if self.label else self.name

    @property
    def distinction(self: NamedTool) -> str:
        """The text that distinguishes it from a tool with the same name: its label, else the end of
        its slug; empty if no other tool has its name.
        """
        if not self.shares_name:
            return ""
        if self.label or len(self.slug) <= LONGEST_LABEL:
            return self.label or self.slug
        return "…" + self.slug[1 - LONGEST_LABEL :]  # slugs of namesakes differ at the end

    @property
    def title(self: "TitledTool") -> str:
        """The name; if another tool has the same one, with the text that distinguishes them."""
        return f"{self.name} ({self.distinction})" if self.distinction else self.name

    def title_within(self: "TitledTool", limit: int) -> str:
        """The title in at most `limit` characters: the name is shortened before its distinction."""
        apart = f" ({self.distinction})" if self.distinction else ""
        if len(apart) + 2 > limit:
            return shorten(self.title, limit)
        return shorten(self.name, limit - len(apart)) + apart
