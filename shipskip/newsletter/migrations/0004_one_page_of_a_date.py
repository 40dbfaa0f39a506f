"""A constraint against two issues with one page. Separate from 0003: PostgreSQL cannot create an
index in a transaction that changed rows of the table and has deferred triggers pending.
"""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0003_dates_of_cancelled_issues")]
    operations = [
        migrations.RemoveConstraint(model_name="issue", name="one_issue_of_a_date"),
        migrations.AddConstraint(
            model_name="issue",
            constraint=models.UniqueConstraint(
                fields=["date"],
                condition=Q(cancelled_at=None) | Q(frozen_at__isnull=False),
                name="one_page_of_a_date",
            ),
        ),
    ]
