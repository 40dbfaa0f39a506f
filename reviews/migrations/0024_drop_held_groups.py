"""Drop what held votes needed. Workers of the release before cannot store votes after this."""

from django.db import migrations, models

CHOICES = [("ship", "Ship"), ("skip", "Skip")]
STATES = [("counted", "Counted"), ("held", "Held"), ("void", "Void")]


class Migration(migrations.Migration):
    dependencies = [("reviews", "0023_index_voidings")]
    operations = [
        migrations.RemoveConstraint(model_name="vote", name="vote_state_known"),
        migrations.RemoveConstraint(model_name="vote", name="vote_choice_known"),
        migrations.RemoveIndex(model_name="vote", name="vote_of_network"),
        migrations.RemoveIndex(model_name="vote", name="vote_of_tally"),
        migrations.RemoveIndex(model_name="vote", name="vote_not_counted"),
        migrations.RemoveIndex(model_name="vote", name="vote_of_group"),
        migrations.RemoveIndex(model_name="voteevent", name="event_of_network"),
        migrations.RemoveIndex(model_name="voteevent", name="event_of_group"),
        # The reverse fills the column with this default.
        migrations.AlterField(
            model_name="voteevent",
            name="state",
            field=models.CharField(choices=STATES, default="counted", max_length=7),
        ),
        migrations.RemoveField(model_name="voteevent", name="state"),
        migrations.RemoveField(model_name="voteevent", name="group"),
        migrations.RemoveField(model_name="vote", name="state"),
        migrations.RemoveField(model_name="vote", name="group"),
        migrations.RemoveField(model_name="vote", name="kept_choice"),
        migrations.RemoveField(model_name="vote", name="network"),
        migrations.RemoveField(model_name="vote", name="reason"),
        migrations.AlterField(
            model_name="vote",
            name="choice",
            field=models.CharField(choices=CHOICES, max_length=4),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.CheckConstraint(
                condition=models.Q(("choice__in", ["ship", "skip"])), name="vote_choice_known"
            ),
        ),
        migrations.DeleteModel(name="HeldGroup"),
        migrations.DeleteModel(name="VoteDay"),
    ]
