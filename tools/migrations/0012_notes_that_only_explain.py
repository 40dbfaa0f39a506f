from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again

LABEL = "The note does not limit the answer"


class Migration(migrations.Migration):
    dependencies = [("tools", "0011_status_of_tools")]

    operations = [
        watch_again("tools", "Fact"),
        *(
            migrations.AddField(
                model_name=model,
                name="note_only_explains",
                field=models.BooleanField(default=False, verbose_name=LABEL),
            )
            for model in ("fact", "historicalfact")
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("number", None), ("yes_no", None), ("text", ""), ("date", None)),
                fields=["attribute", "applies", "tool"],
                name="fact_without_value",
            ),
        ),
        watch_again("tools", "Fact"),
    ]
