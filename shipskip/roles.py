"""Who may do what at the desk: the groups, and the rights each holds.

*Writers* write drafts and edit what is not public. *Publishers* hold all editorial rights.
Neither holds any right over users. The migration `0001_roles` makes the groups;
the newsletter's own `0002_roles` gives them what it brings.
"""

WRITERS, PUBLISHERS = "Writers", "Publishers"

EDITORIAL = {
    "tools": ("category", "tool"),
    "reviews": ("reviewer", "take"),
    "comparisons": ("comparison",),
}
"""What editors write, by app."""

_WRITTEN_BY_WRITERS = ("tool", "take", "comparison")
_ALL_ACTS = ("view", "add", "change", "delete", "publish")


def rights() -> dict[str, set[tuple[str, str]]]:
    """For each group the pairs of app and codename that it holds, such as `tools`, `add_tool`."""
    models = [(app, model) for app, names in EDITORIAL.items() for model in names]
    publishers = {(app, f"{act}_{model}") for app, model in models for act in _ALL_ACTS}
    publishers |= {("tools", f"{act}_formerslug") for act in ("view", "add", "change", "delete")}
    publishers |= {("reviews", "view_vote"), ("reviews", "change_vote")}
    writers = {(app, f"view_{model}") for app, model in models}
    writers |= {
        (app, f"{act}_{model}")
        for app, model in models
        if model in _WRITTEN_BY_WRITERS
        for act in ("add", "change")
    }
    writers |= {("tools", "view_formerslug")}
    return {WRITERS: writers, PUBLISHERS: publishers}


def newsletter_rights() -> dict[str, set[tuple[str, str]]]:
    """The same for the newsletter. Publishers alone see who gets it; the addresses come from
    their owners and the issues from a rule, so nobody adds or deletes either by hand.
    """
    seen = {("newsletter", f"view_{model}") for model in ("issue", "subscriber", "delivery")}
    changed = {("newsletter", f"change_{model}") for model in ("issue", "subscriber")}
    return {WRITERS: {("newsletter", "view_issue")}, PUBLISHERS: seen | changed}
