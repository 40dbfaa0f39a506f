"""Reviewers have a portrait and a tint."""

from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0028_keep_deleted_takes_and_reviewers'),
    ]

    operations = [
        watch_again('reviews', 'Reviewer'),
        migrations.AddField(
            model_name='historicalreviewer',
            name='sign',
            field=models.CharField(blank=True, choices=[('hard-hat', 'Hard hat'), ('glasses', 'Glasses'), ('visor', 'Visor'), ('bob', 'Bob'), ('quiff', 'Quiff and tie'), ('cap', 'Cap'), ('bun', 'Bun'), ('beard', 'Beard')], max_length=20, verbose_name='portrait'),
        ),
        migrations.AddField(
            model_name='historicalreviewer',
            name='tint',
            field=models.CharField(blank=True, choices=[('blue', 'Blue'), ('slate', 'Slate'), ('violet', 'Violet'), ('cyan', 'Cyan'), ('plum', 'Plum'), ('brown', 'Brown')], max_length=20),
        ),
        migrations.AddField(
            model_name='reviewer',
            name='sign',
            field=models.CharField(blank=True, choices=[('hard-hat', 'Hard hat'), ('glasses', 'Glasses'), ('visor', 'Visor'), ('bob', 'Bob'), ('quiff', 'Quiff and tie'), ('cap', 'Cap'), ('bun', 'Bun'), ('beard', 'Beard')], max_length=20, verbose_name='portrait'),
        ),
        migrations.AddField(
            model_name='reviewer',
            name='tint',
            field=models.CharField(blank=True, choices=[('blue', 'Blue'), ('slate', 'Slate'), ('violet', 'Violet'), ('cyan', 'Cyan'), ('plum', 'Plum'), ('brown', 'Brown')], max_length=20),
        ),
        watch_again('reviews', 'Reviewer'),
    ]
