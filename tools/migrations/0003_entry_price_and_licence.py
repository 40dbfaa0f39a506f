"""Names the fields `entry` and `license` “entry price” and “licence” for editors."""

import shipskip.web.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0002_history_and_withdrawal'),
    ]

    operations = [
        migrations.AlterField(
            model_name='historicaltool',
            name='entry',
            field=models.CharField(choices=[('free', 'Free'), ('freemium', 'Freemium'), ('paid', 'Paid')], default='free', max_length=8, verbose_name='entry price'),
        ),
        migrations.AlterField(
            model_name='historicaltool',
            name='license',
            field=models.CharField(blank=True, max_length=120, validators=[shipskip.web.text.validate_line], verbose_name='licence'),
        ),
        migrations.AlterField(
            model_name='tool',
            name='entry',
            field=models.CharField(choices=[('free', 'Free'), ('freemium', 'Freemium'), ('paid', 'Paid')], default='free', max_length=8, verbose_name='entry price'),
        ),
        migrations.AlterField(
            model_name='tool',
            name='license',
            field=models.CharField(blank=True, max_length=120, validators=[shipskip.web.text.validate_line], verbose_name='licence'),
        ),
    ]
