from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('site_pages', '0002_watch_content'),
        ('reviews', '0009_unfinished_drafts'),
        ('tools', '0007_label_and_choose_if'),
    ]

    operations = [
        watch_again('reviews', 'Take'),
        migrations.AddField(
            model_name='historicaltake',
            name='basis',
            field=models.CharField(blank=True, choices=[('tried', 'Tried'), ('read-about', 'Read about'), ('documentation', 'From documentation')], help_text='What the take rests on; readers see it beside the date.', max_length=13),
        ),
        migrations.AddField(
            model_name='take',
            name='basis',
            field=models.CharField(blank=True, choices=[('tried', 'Tried'), ('read-about', 'Read about'), ('documentation', 'From documentation')], help_text='What the take rests on; readers see it beside the date.', max_length=13),
        ),
        migrations.AddConstraint(
            model_name='take',
            constraint=models.CheckConstraint(condition=models.Q(('basis__in', ['', 'tried', 'read-about', 'documentation'])), name='take_basis_known'),
        ),
        watch_again('reviews', 'Take'),
    ]
