"""The database refuses two issues with one page; apart from 0003, since PostgreSQL builds no index
on a table in the transaction that changed its rows while triggers wait for its end.
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
