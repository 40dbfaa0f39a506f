"""Senders are known by their claims. The table of their leases stays for the release before, which
may run beside this one; a later release drops it.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0004_one_page_of_a_date")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="SenderLease")]
        ),
    ]
