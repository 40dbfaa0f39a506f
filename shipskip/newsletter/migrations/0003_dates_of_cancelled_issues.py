"""Issues cancelled after their snapshot keep their date, since sent mails may link to it."""

from datetime import timedelta

from django.db import migrations
from django.db.models import Q

HOLDS_ITS_DATE = Q(cancelled_at=None) | Q(frozen_at__isnull=False)


def give_each_a_date(apps, schema_editor):
    """If issues share a date, the one not cancelled keeps it, else the one that reached the most
    readers; each of the others moves to the next free date.
    """
    issues = apps.get_model("newsletter", "Issue").objects.using(schema_editor.connection.alias)
    holding = issues.filter(HOLDS_ITS_DATE)
    held = set(holding.values_list("date", flat=True))
    seen = set()
    cancelled = holding.exclude(cancelled_at=None).order_by("-accepted", "-pk")
    for issue in [*holding.filter(cancelled_at=None), *cancelled]:
        day = issue.date
        if day in seen:
            while day in held:
                day += timedelta(days=1)
            issues.filter(pk=issue.pk).update(date=day)
        held.add(day)
        seen.add(day)


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0002_roles")]
    operations = [migrations.RunPython(give_each_a_date, migrations.RunPython.noop)]
