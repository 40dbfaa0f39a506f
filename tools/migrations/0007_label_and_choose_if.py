import shipskip.web.text
from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('site_pages', '0002_watch_content'),
        ('tools', '0006_published_without_help'),
    ]

    operations = [
        watch_again('tools', 'Tool'),
        migrations.AddField(
            model_name='historicaltool',
            name='choose_if',
            field=models.CharField(blank=True, help_text='Continues “Choose it if …” above the cards of a comparison: begin in lower case, such as “you want to read a diff before anything changes”. Without it readers see “best for”.', max_length=140, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='label',
            field=models.CharField(blank=True, help_text='Only where another tool has the same name: a word or two that tell them apart, such as “agentic” or “v0.50”.', max_length=24, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='tool',
            name='choose_if',
            field=models.CharField(blank=True, help_text='Continues “Choose it if …” above the cards of a comparison: begin in lower case, such as “you want to read a diff before anything changes”. Without it readers see “best for”.', max_length=140, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='tool',
            name='label',
            field=models.CharField(blank=True, help_text='Only where another tool has the same name: a word or two that tell them apart, such as “agentic” or “v0.50”.', max_length=24, validators=[shipskip.web.text.validate_line]),
        ),
        watch_again('tools', 'Tool'),
    ]
