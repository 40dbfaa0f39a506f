"""No vote is held any more, and each tally stays as it is: a vote whose earlier choice is in the
tally counts with that choice, and other votes that do not count are void. One that was taken back
and is in no tally is deleted, like every vote that is taken back.

Voidings of this migration are not listed: until now reasons were only for editors. Events that did
not count keep their state as the beginning of their reason, and lose the hashes of networks, so
that no limit counts them.
"""

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Concat, Substr
from django.utils import timezone

HELD = "Above the daily limit of a network"
STATES = ("counted", "held", "void")


def void_what_does_not_count(apps, schema_editor):
    alias = schema_editor.connection.alias
    votes = apps.get_model("reviews", "Vote").objects.using(alias)
    events = apps.get_model("reviews", "VoteEvent").objects.using(alias)
    voidings = apps.get_model("reviews", "Voiding").objects.using(alias)
    for choice in ("ship", "skip"):
        votes.filter(kept_choice=choice).update(choice=choice, kept_choice="", state="counted", reason="")
    votes.filter(choice="").delete()
    void = votes.exclude(state="counted")
    now = timezone.now()
    for tool, state, reason in void.order_by("tool", "state", "reason").values_list("tool", "state", "reason").distinct():
        same = void.filter(tool=tool, state=state, reason=reason)
        voiding = voidings.create(
            tool_id=tool, reason=reason or HELD, is_listed=False, voided_at=now, votes=same.count()
        )
        same.update(voiding=voiding)
    decisions = events.exclude(reason="").values("pk")
    acts = events.filter(reason="").exclude(state="counted").values("pk")
    for pks, words in (
        (list(decisions.values_list("pk", flat=True)), Concat("state", Value(": "), "reason")),
        (list(acts.values_list("pk", flat=True)), F("state")),
    ):
        for start in range(0, len(pks), 500):
            rows = events.filter(pk__in=pks[start : start + 500])
            rows.update(reason=words, network="", wide_network="")


def restore_states(apps, schema_editor):
    alias = schema_editor.connection.alias
    votes = apps.get_model("reviews", "Vote").objects.using(alias)
    events = apps.get_model("reviews", "VoteEvent").objects.using(alias)
    for voiding in apps.get_model("reviews", "Voiding").objects.using(alias).iterator():
        votes.filter(voiding=voiding).update(state="void", reason=voiding.reason, voiding=None)
    for state in STATES:
        events.filter(reason=state).update(state=state, reason="")
        decided = events.filter(reason__startswith=f"{state}: ")
        decided.update(state=state, reason=Substr("reason", len(state) + 3))


class Migration(migrations.Migration):
    dependencies = [("reviews", "0021_voidings")]
    operations = [migrations.RunPython(void_what_does_not_count, restore_states)]
