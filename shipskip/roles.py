"""The groups of the desk and the permissions of each.

*Writers* write drafts and edit what is not public. *Publishers* have all editorial permissions.
Neither has any permission on users. The migration `0001_roles` creates the groups;
`0003_rights_of_facts` adds those of facts, `0003_rights` of the search those of synonyms,
`0002_roles` of the newsletter and of the reports those of their models.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from django.apps import apps as present
from django.contrib.auth.management import create_permissions
from django.db.migrations import RunPython

Rights: TypeAlias = Mapping[str, set[tuple[str, str]]]
"""For each group its permissions as pairs of app and codename."""

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


def fact_rights() -> dict[str, set[tuple[str, str]]]:
    """The same for facts: groups that write takes also write facts and plans; groups that write
    categories also write attributes and families.
    """
    acts = ("view", "add", "change", "delete")
    written = {("tools", f"{act}_{model}") for act in acts for model in ("fact", "plan")}
    managed = {("tools", f"{act}_{model}") for act in acts for model in ("attribute", "family")}
    seen = {("tools", f"view_{model}") for model in ("attribute", "family")}
    return {WRITERS: written | seen, PUBLISHERS: written | managed}


def synonym_rights() -> dict[str, set[tuple[str, str]]]:
    """The same for synonyms: groups that write categories also write synonyms."""
    managed = {("search", f"{act}_synonym") for act in ("view", "add", "change", "delete")}
    return {WRITERS: {("search", "view_synonym")}, PUBLISHERS: managed}


def newsletter_rights() -> dict[str, set[tuple[str, str]]]:
    """The same for the newsletter. Only Publishers see subscribers. Editors add and delete neither
    subscribers, who enter their addresses themselves, nor issues, which a rule makes.
    """
    seen = {("newsletter", f"view_{model}") for model in ("issue", "subscriber", "delivery")}
    changed = {("newsletter", f"change_{model}") for model in ("issue", "subscriber")}
    return {WRITERS: {("newsletter", "view_issue")}, PUBLISHERS: seen | changed}


def report_rights() -> dict[str, set[tuple[str, str]]]:
    """The same for readers' reports: Writers read them, Publishers decide, because a decision is
    public at once.
    """
    seen = {("reports", f"view_{model}") for model in ("report", "decision")}
    changed = {("reports", f"change_{model}") for model in ("report", "decision")}
    return {WRITERS: seen, PUBLISHERS: seen | changed}


def grant(app: str, rights: Rights, *models: str) -> RunPython:
    """Return a migration operation that grants the permissions of `rights` to the groups. It
    creates the app's permissions first, because Django does so only after all migrations. Its
    reverse takes the permissions of these models, or of the whole app, from all groups, and keeps
    the groups.
    """

    def give(apps: Any, editor: Any) -> None:
        config = present.get_app_config(app)
        create_permissions(config, verbosity=0, using=editor.connection.alias)
        known = apps.get_model("auth", "Permission").objects
        for name, held in rights.items():
            group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
            for label, codename in sorted(held):
                group.permissions.add(known.get(content_type__app_label=label, codename=codename))

    def take(apps: Any, editor: Any) -> None:
        own = apps.get_model("auth", "Permission").objects.filter(content_type__app_label=app)
        if models:
            own = own.filter(content_type__model__in=models)
        for group in apps.get_model("auth", "Group").objects.all():
            group.permissions.remove(*own)

    return RunPython(give, take)
