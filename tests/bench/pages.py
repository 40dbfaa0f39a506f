"""The pages that are rendered for each request, and their budgets."""

import random
from collections.abc import Callable, Sequence

HOT = 24
"""How many tools readers ask for most of the time."""

Paths = Callable[[int], Sequence[str]]
"""The addresses of a row, requested in turn, at a site with this many tools."""


def slug(number: int) -> str:
    """The slug of a tool of tests/bench/data.py."""
    return f"tool-{number:05}"


def comparison(*numbers: int) -> str:
    """The path of a comparison of these tools."""
    return f"/compare/{'-vs-'.join(map(slug, sorted(numbers)))}/"


def _pairs(_: int) -> list[str]:
    return [comparison(n, m) for n in range(HOT) for m in range(n + 2, HOT, 3)]


def _any_pairs(tools: int) -> list[str]:
    chance = random.Random(3)  # noqa: S311 - no secret
    return [comparison(*chance.sample(range(tools), 2)) for _ in range(3_000)]


def _tens(_: int) -> list[str]:
    return [comparison(*range(n, n + 10)) for n in range(HOT - 10)]


def _tools(_: int) -> list[str]:
    return [f"/tools/{slug(n)}/" for n in range(HOT)]


FILTERS = "fact.asked-01=yes&fact.asked-00.min=300"
OWN = "weigh-critic-0=3&weigh-critic-1=0"

PAGES: dict[str, Paths] = {
    "comparison of two tools": _pairs,
    "comparison of any two of all tools": _any_pairs,
    "comparison of ten tools": _tens,
    "a tool": _tools,
    "`/tools/`": lambda _: ["/tools/"],
    "a category with two fact filters": lambda _: [f"/categories/kind-0/?{FILTERS}"],
    "home": lambda _: ["/"],
    "own weights: two tools": lambda _: [f"{path}?{OWN}" for path in _pairs(0)],
    "own weights: `/tools/`": lambda _: [f"/tools/?{OWN}"],
    "`/search/`": lambda _: ["/search/?q=tool+00012", "/search/?q=reviews+code"],
}
"""The rows, by their titles."""

PAIR = "comparison of two tools"
BESIDE_GOAL = 3.75
"""How many times as many pairs a second as the code before one content in memory."""


def budget(title: str) -> float:
    """The most milliseconds of a core that a page may take."""
    return 150 if title.startswith("own weights") else 50
