"""What was last found at the sources of facts and plans."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0020_facts_from_open_data'),
    ]

    operations = [
        migrations.CreateModel(
            name='SourceCheck',
            fields=[
                ('key', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('source', models.CharField(db_index=True, max_length=500)),
                ('quote', models.CharField(blank=True, max_length=300)),
                ('outcome', models.CharField(choices=[('there', 'The quote is there'), ('missing', 'The quote is gone'), ('gone', 'The page is gone'), ('blocked', 'The page blocks us'), ('unreached', 'The page could not be reached'), ('page', 'The page is there')], max_length=9)),
                ('detail', models.CharField(blank=True, max_length=120)),
                ('checked_at', models.DateTimeField()),
                ('there_at', models.DateTimeField(null=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
    ]
