"""Votes that are held stay held, in a group for each tool, day and network.

Backwards a vote whose earlier choice stands in the tally counts with that choice, so that no tally
changes; a held or void vote that was taken back, and stands in no tally, is deleted.
"""

from django.db import migrations


def group_held_votes(apps, schema_editor):
    alias = schema_editor.connection.alias
    votes = apps.get_model("reviews", "Vote").objects.using(alias)
    events = apps.get_model("reviews", "VoteEvent").objects.using(alias)
    groups = apps.get_model("reviews", "HeldGroup").objects.using(alias)
    found = {}
    for vote in votes.filter(state="held", group=None).order_by("pk").iterator():
        key = (vote.tool_id, vote.cast_at.date(), vote.network or None)
        if key not in found:
            tool, day, network = key
            found[key] = groups.create(
                tool_id=tool, day=day, network=network, last_act_at=vote.changed_at
            )
        group = found[key]
        if vote.changed_at > group.last_act_at:
            group.last_act_at = vote.changed_at
            group.save(update_fields=["last_act_at"])
        votes.filter(pk=vote.pk).update(group=group)
        if vote.visitor:
            acts = events.filter(tool=vote.tool_id, visitor=vote.visitor, state="held")
            acts.filter(at__gte=vote.cast_at).update(group=group)


def count_kept_choices(apps, schema_editor):
    votes = apps.get_model("reviews", "Vote").objects.using(schema_editor.connection.alias)
    for choice in ("ship", "skip"):
        votes.filter(kept_choice=choice).update(state="counted", choice=choice, kept_choice="")
    votes.filter(choice="").delete()


class Migration(migrations.Migration):
    dependencies = [("reviews", "0006_index_held_groups")]
    operations = [migrations.RunPython(group_held_votes, count_kept_choices)]
