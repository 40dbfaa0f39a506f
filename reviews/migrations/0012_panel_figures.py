import django.db.models.deletion
from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch


class Migration(migrations.Migration):

    dependencies = [
        ('web', '0001_content_version'),
        ('reviews', '0011_address_and_text_labels'),
        ('tools', '0010_facts_of_tools_by_value'),
    ]

    operations = [
        migrations.CreateModel(
            name='PanelMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool_id', models.BigIntegerField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='PanelFigures',
            fields=[
                ('tool', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='figures', serialize=False, to='tools.tool')),
                ('ship', models.PositiveSmallIntegerField(default=0)),
                ('skip', models.PositiveSmallIntegerField(default=0)),
                ('points', models.PositiveIntegerField(default=0)),
                ('mean', models.FloatField(null=True)),
                ('verdict', models.CharField(choices=[('ship', 'Ship'), ('skip', 'Skip'), ('split', 'Split'), ('none', 'No verdict yet')], default='none', max_length=5)),
                ('judged_at', models.DateTimeField(null=True)),
                ('due_at', models.DateTimeField(db_index=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'panel figures',
                'default_permissions': (),
                'indexes': [models.Index(fields=['-mean'], name='figures_by_mean'), models.Index(fields=['-judged_at'], name='figures_by_judged_at')],
            },
        ),
        watch('reviews', 'PanelFigures'),
    ]
