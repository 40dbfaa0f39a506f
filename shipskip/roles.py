"""The groups of the desk and the permissions of each.

*Writers* write drafts and edit what is not public. *Publishers* have all editorial permissions.
Neither has any permission on users. The migration `0001_roles` creates the groups; `0002_roles`
of the newsletter adds the permissions of its models.
"""

WRITERS, PUBLISHERS = "Writers", "Publishers"

EDITORIAL = {
    "tools": ("category", "tool"),
    "reviews": ("reviewer", "take"),
    "comparisons": ("comparison",),
}
"""The models that editors write, by app."""

_WRITTEN_BY_WRITERS = ("tool", "take", "comparison")
_ALL_ACTS = ("view", "add", "change", "delete", "publish")


def rights() -> dict[str, set[tuple[str, str]]]:
    """For each group its permissions as pairs of app and codename, such as `tools`, `add_tool`."""
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
    """The same for the newsletter. Only Publishers see subscribers; readers enter their addresses
    themselves and a rule makes the issues, so editors add and delete neither.
    """
    seen = {("newsletter", f"view_{model}") for model in ("issue", "subscriber", "delivery")}
    changed = {("newsletter", f"change_{model}") for model in ("issue", "subscriber")}
    return {WRITERS: {("newsletter", "view_issue")}, PUBLISHERS: seen | changed}
