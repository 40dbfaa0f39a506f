"""Texts of help_text only; no change of the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('newsletter', '0006_one_daily_salt'),
    ]

    operations = [
        migrations.AlterField(
            model_name='addresslook',
            name='who_then',
            field=models.CharField(help_text='Their user name, in case the account is deleted', max_length=150),
        ),
        migrations.AlterField(
            model_name='forgottenaddress',
            name='sealed_key',
            field=models.CharField(db_index=True, help_text='Hash of the key in its links, with which it can come back', max_length=64),
        ),
        migrations.AlterField(
            model_name='issue',
            name='accepted',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='Mails accepted by the mail server'),
        ),
        migrations.AlterField(
            model_name='issue',
            name='date',
            field=models.DateField(help_text='Its URL in the archive'),
        ),
        migrations.AlterField(
            model_name='issue',
            name='html',
            field=models.TextField(blank=True, editable=False, help_text='Snapshot, except the leave link'),
        ),
        migrations.AlterField(
            model_name='issue',
            name='since',
            field=models.DateTimeField(help_text='Covers what was published from this time'),
        ),
        migrations.AlterField(
            model_name='issue',
            name='text',
            field=models.TextField(blank=True, editable=False, help_text='Snapshot, except the leave link'),
        ),
        migrations.AlterField(
            model_name='issue',
            name='until',
            field=models.DateTimeField(help_text='and before this time'),
        ),
        migrations.AlterField(
            model_name='issueentry',
            name='facts',
            field=models.JSONField(blank=True, default=dict, help_text="Snapshot, stored with the issue's"),
        ),
        migrations.AlterField(
            model_name='subscriber',
            name='joined_at',
            field=models.DateTimeField(help_text='When it last asked to join'),
        ),
    ]
