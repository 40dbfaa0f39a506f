"""Networks are hashed with the daily salt of reviews. Salts created here are deleted, so the counts
of this day restart at 0; the empty table stays for the previous release, which may run at the
same time. A later release drops it.
"""

from django.db import migrations


def destroy_salts(apps, schema_editor):
    salts = apps.get_model("newsletter", "JoinSalt").objects
    salts.using(schema_editor.connection.alias).all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("newsletter", "0005_claims_without_leases"),
        ("reviews", "0002_history_and_withdrawal"),
    ]
    operations = [
        migrations.RunPython(destroy_salts, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="JoinSalt")]
        ),
    ]
