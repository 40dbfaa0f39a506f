"""The indexes of counted votes and of the limits, made while visitors vote; outside of a
transaction.
"""

from importlib import import_module

from django.db import migrations, models

AddIndex = import_module("reviews.migrations.0006_index_held_groups").AddIndex


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("reviews", "0022_no_held_votes")]
    operations = [
        AddIndex(
            model_name="vote",
            index=models.Index(fields=["tool", "voiding", "choice"], name="vote_in_tally"),
        ),
        AddIndex(
            model_name="vote",
            index=models.Index(condition=models.Q(("voiding__isnull", False)), fields=["voiding"], name="vote_of_voiding"),
        ),
        AddIndex(
            model_name="voteevent",
            index=models.Index(fields=["wide_network", "tool", "network"], name="event_of_wide_network"),
        ),
    ]
