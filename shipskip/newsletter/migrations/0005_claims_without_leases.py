"""Senders are identified by their claims. The table of leases stays for the previous release,
which may run at the same time; a later release drops it.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0004_one_page_of_a_date")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="SenderLease")]
        ),
    ]
