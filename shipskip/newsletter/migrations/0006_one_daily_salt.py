"""Networks are hashed under the one salt of the day, in reviews. Salts made here are destroyed, so
the counts of this day begin anew; the empty table stays for the release before, which may run
beside this one. A later release drops it.
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
