import django.core.validators
import tools.fact_values
from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again

COLUMNS = [
    ("Fact", "number", 3),
    ("HistoricalFact", "number", 3),
    ("Plan", "amount", 4),
    ("HistoricalPlan", "amount", 4),
]
"""The columns, and the decimals that each had before."""


def refuse_to_lose_digits(apps, schema_editor):
    """Raise ValueError if a number would lose decimals by the reverse."""
    for name, column, decimals in COLUMNS:
        numbers = apps.get_model("tools", name).objects.exclude(**{column: None})
        for number in numbers.values_list(column, flat=True).order_by().iterator():
            if number != round(number, decimals):
                raise ValueError(
                    f"{number} in {name}.{column} has more than {decimals} decimals, which the "
                    "earlier column cannot hold: change that value first."
                )


class Migration(migrations.Migration):

    dependencies = [
        ('site_pages', '0002_watch_content'),
        ('tools', '0012_notes_that_only_explain'),
    ]

    operations = [
        watch_again('tools', 'Fact', 'Plan'),
        migrations.AlterField(
            model_name='fact',
            name='number',
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=18, null=True),
        ),
        migrations.AlterField(
            model_name='historicalfact',
            name='number',
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=18, null=True),
        ),
        migrations.AlterField(
            model_name='historicalplan',
            name='amount',
            field=models.DecimalField(decimal_places=6, help_text='0 is free.', max_digits=18, validators=[django.core.validators.MinValueValidator(0), tools.fact_values.validate_number]),
        ),
        migrations.AlterField(
            model_name='plan',
            name='amount',
            field=models.DecimalField(decimal_places=6, help_text='0 is free.', max_digits=18, validators=[django.core.validators.MinValueValidator(0), tools.fact_values.validate_number]),
        ),
        watch_again('tools', 'Fact', 'Plan'),
        migrations.RunPython(migrations.RunPython.noop, refuse_to_lose_digits),
    ]
