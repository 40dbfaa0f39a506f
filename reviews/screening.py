"""The rule for held votes: pure functions, no database.

Votes of new visitors above a network's daily cap on a tool are held. A day later all held votes of
a network on a tool are judged together:

* Many votes with nearly the same choice look like one person with a script: they are voided.
* Otherwise they look like people behind one address, an office or a school: they are released.
"""

from collections.abc import Sequence

VOID_FROM = 10
"""Number of held votes of one network, tool and day from which a uniform choice is suspicious."""

UNIFORM_PERCENT = 90
"""Share of one choice, in per cent, from which the votes are uniform."""


def judge(choices: Sequence[str]) -> tuple[str, str]:
    """The state (`counted` or `void`) of the held votes of one network on one tool, and the reason.

    `choices` are `ship` or `skip`, at least one; ValueError if empty.
    """
    total = len(choices)
    if not total:
        raise ValueError("no votes to judge")
    most = max(choices.count("ship"), choices.count("skip"))
    if total >= VOID_FROM and 100 * most >= UNIFORM_PERCENT * total:
        return "void", f"{most} of {total} held votes of one network and day say the same"
    if total < VOID_FROM:
        return "counted", f"only {total} held of one network and day"
    return "counted", f"{most} of {total} held of one network and day say the same: mixed voices"
