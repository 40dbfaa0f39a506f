from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0009_reads'),
    ]

    operations = [
        migrations.AlterField(
            model_name='comparison',
            name='position',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='place'),
        ),
    ]
