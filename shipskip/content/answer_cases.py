"""Examples of each case of the answer, and the effect of the rule of shared reviewers. Pure
functions; the methodology page shows their result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from comparisons.answer import MIN_AHEAD, Contender, lead, shared
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Tool
from shipskip.content.side_by_side import Pair, contenders

BOTH_SHIP = ("leader", "close", "few")
"""The cases of a pair of which the panel ships both tools."""


@dataclass(frozen=True)
class AnswerCases:
    """Counts of the pairs of some tools, and an example of each case by its name."""

    tools: int
    pairs: int
    both_ship: int
    """Pairs of which the panel ships both."""
    led: int
    """Such pairs that have a leader."""
    led_by_mean: int
    """Such pairs that would have a leader if the higher panel score decided."""
    reversed: int
    """Pairs, of any verdict, in which one tool has the higher mean of all its takes and the other
    the higher mean among the reviewers who judged both."""
    examples: dict[str, Pair]

    @property
    def not_called(self) -> int:
        """Pairs of which the panel ships both and none leads."""
        return self.both_ship - self.led


def case_of(first: Contender, second: Contender) -> str:
    """The case of a pair: its verdicts, as in `ship_split`; where both ship `leader`, `close`, or
    `few` if too few reviewers judged both; `missing` where a tool has no takes, `discontinued`
    where one is no longer maintained.
    """
    if first.is_discontinued or second.is_discontinued:
        return "discontinued"
    verdicts = {first.panel.verdict, second.panel.verdict}
    if "none" in verdicts:
        return "missing"
    if verdicts == {"ship"}:
        found = lead(first, second)
        if shared(first, second) < MIN_AHEAD or (found and not found.is_enough):
            return "few"
        return "leader" if found else "close"
    return "_".join(sorted(verdicts))


def cases_of(columns: Sequence[JudgedTool[Tool]]) -> AnswerCases:
    """The cases of every pair of these tools. The first pair of a case is its example; that of
    `three` tools is a pair with a leader beside a tool that the panel skips.
    """
    rows = list(zip(columns, contenders(columns), strict=True))
    examples: dict[str, Pair] = {}
    found: list[str] = []
    by_mean = turned = 0
    for (column, first), (other, second) in combinations(rows, 2):
        case = case_of(first, second)
        found.append(case)
        if case not in examples:
            examples[case] = _example(column, other)
        by_mean += case in BOTH_SHIP and first.panel.score != second.panel.score
        turned += is_reversed(first, second)
    by_tool = {column.tool.pk: column for column in columns}
    skipped = next((column for column in columns if column.panel.verdict == "skip"), None)
    if skipped and (pair := examples.get("leader")):
        examples["three"] = _example(*(by_tool[tool.pk] for tool in pair.tools), skipped)
    both_ship, led = sum(case in BOTH_SHIP for case in found), found.count("leader")
    return AnswerCases(len(rows), len(found), both_ship, led, by_mean, turned, examples)


def is_reversed(first: Contender, second: Contender) -> bool:
    """Whether one tool is ahead by all takes, and the other by those of the shared reviewers."""
    one, other = first.scores, second.scores
    among_all = first.points * len(other) - second.points * len(one)
    if not among_all:
        return False
    among_shared = sum(score - other[key] for key, score in one.items() if key in other)
    return among_shared * among_all < 0


def _example(*columns: JudgedTool[Tool]) -> Pair:
    return Pair.answered(sorted(columns, key=lambda column: column.tool.slug))
