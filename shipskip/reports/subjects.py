"""What a report on a tool may be about: its facts, prices and takes, each with a key."""

from collections.abc import Mapping, Sequence

from shipskip.content.records import Attribute, FullTool

ANYTHING, STATUS, PRICES = "tool", "status", "price"
FACT, PLAN, TAKE = "fact-", "price-", "take-"
"""How the keys of facts, plans and takes begin; a slug, or a plan's place, follows."""

Groups = Mapping[str, Mapping[str, str]]
"""Names by key, by the name of their group."""


def subjects_of(tool: FullTool, attributes: Sequence[Attribute]) -> Groups:
    """The subjects of a tool; `attributes` are all that there are."""
    asked = [row for row in attributes if row.is_asked_in(tool.category.pk)]
    plans = {f"{PLAN}{place}": plan.name for place, plan in enumerate(tool.plans, 1)}
    takes = {f"{TAKE}{take.reviewer.slug}": take.reviewer.name for take in tool.takes}
    groups = {
        "The tool": {ANYTHING: "Something else", STATUS: "Status"},
        "Prices": {PRICES: "Prices", **plans},
        "Facts": {f"{FACT}{row.slug}": row.name for row in asked},
        "Takes": {key: f"{name}’s take" for key, name in takes.items()},
    }
    return {name: group for name, group in groups.items() if group}


def names_by_key(groups: Groups) -> dict[str, str]:
    """The name of each subject; empty for the tool itself."""
    names = {key: name for group in groups.values() for key, name in group.items()}
    return {**names, ANYTHING: ""}
