"""The written rule for held votes: pure, no database.

Votes of new visitors beyond a network's daily cap on a tool are held. A day later they are looked
at together, network by network:

* Many that say nearly all the same look like one person with a script: they are voided.
* Otherwise they look like people behind one address, an office or a school: they are released.
"""

from collections.abc import Sequence

VOID_FROM = 10
"""Held votes of one network, tool and day from which on a uniform voice is suspicious."""

UNIFORM_PERCENT = 90
"""Share of one choice, in per cent, from which on a voice is uniform."""


def judge(choices: Sequence[str]) -> tuple[str, str]:
    """The state (`counted` or `void`) of the held votes of one network on one tool, and why.

    `choices` are `ship` or `skip`, at least one; ValueError without.
    """
    total = len(choices)
    if not total:
        raise ValueError("there is nothing to judge without votes")
    most = max(choices.count("ship"), choices.count("skip"))
    if total >= VOID_FROM and 100 * most >= UNIFORM_PERCENT * total:
        return "void", f"{most} of {total} held votes of one network and day say the same"
    if total < VOID_FROM:
        return "counted", f"only {total} held of one network and day"
    return "counted", f"{most} of {total} held of one network and day say the same: mixed voices"
