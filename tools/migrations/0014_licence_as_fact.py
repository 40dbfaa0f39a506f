"""The licence of a tool becomes a fact: the answer to the attribute `licence`, a text.

A fact that is there stays. Other tools get one from their field, with the history of the field. The
reverse fills the field from the facts, which stay.
"""

from itertools import groupby
from operator import itemgetter

from django.db import migrations
from django.db.models import Q
from django.utils import timezone

BATCH = 500
SLUG, KIND, LONGEST = "licence", "text", 120
NOTE = "The licence of tools is a text"


def as_text(fact):
    """The value of a fact of any kind as a text."""
    if fact.kind == "choices":
        return fact.text.strip("\n").replace("\n", ", ")[:200]
    if fact.yes_no is not None:
        return "Yes" if fact.yes_no else "No"
    if fact.number is not None:
        number = f"{fact.number:f}"
        return number.rstrip("0").rstrip(".") if "." in number else number
    return fact.text or (fact.date.isoformat() if fact.date else "")


def rewrite(model, attribute):
    """Turn facts, or their versions, into texts."""
    fields = ["kind", "text", "number", "yes_no", "date"]
    rows = model.objects.filter(attribute=attribute).exclude(kind=KIND)
    for row in rows.order_by().iterator(BATCH):
        values = [KIND, as_text(row), None, None, None]
        model.objects.filter(pk=row.pk).update(**dict(zip(fields, values, strict=True)))


def record(apps, attribute, sign):
    """Add a version of the attribute to its history."""
    fields = [field.attname for field in attribute._meta.concrete_fields]
    apps.get_model("tools", "HistoricalAttribute").objects.create(
        **{name: getattr(attribute, name) for name in fields},
        history_date=timezone.now(),
        history_type=sign,
        history_change_reason=NOTE,
    )


def text_attribute(apps):
    """The attribute, which is made if it is missing, with its facts as texts."""
    Attribute = apps.get_model("tools", "Attribute")
    attribute = Attribute.objects.filter(slug=SLUG).first()
    if attribute is None:
        attribute = Attribute.objects.create(slug=SLUG, name="Licence", kind=KIND, position=1000)
        record(apps, attribute, "+")
        return attribute
    before = attribute.kind, attribute.category_ids
    Tool = apps.get_model("tools", "Tool")
    licensed = Tool.objects.exclude(license="")
    if attribute.category_ids and licensed.exclude(category__in=attribute.category_ids).exists():
        attribute.category_ids = []
    attribute.kind = KIND
    if (attribute.kind, attribute.category_ids) != before:
        attribute.choices, attribute.unit, attribute.better = [], "", ""
        attribute.save()
        record(apps, attribute, "~")
        for name in ("Fact", "HistoricalFact"):
            rewrite(apps.get_model("tools", name), attribute)
    return attribute


def batches(rows):
    """Lists of BATCH rows."""
    for at in range(0, len(rows), BATCH):
        yield rows[at : at + BATCH]


def make_facts(apps, schema_editor):
    """Make a fact, and its versions, for each tool that has or had a licence and no such fact."""
    Tool, Fact = apps.get_model("tools", "Tool"), apps.get_model("tools", "Fact")
    Version = apps.get_model("tools", "HistoricalFact")
    attribute, now = text_attribute(apps), timezone.now()
    answered = Fact.objects.filter(attribute=attribute).values("tool")
    had = apps.get_model("tools", "HistoricalTool").objects.exclude(license="").values("id")
    tools = Tool.objects.filter(~Q(license="") | Q(pk__in=had)).exclude(pk__in=answered)
    for part in batches(list(tools.order_by("pk").values_list("pk", "license"))):
        Fact.objects.bulk_create(
            Fact(tool_id=pk, attribute=attribute, kind=KIND, text=text.strip()) for pk, text in part
        )
        facts = Fact.objects.filter(attribute=attribute, tool__in=[pk for pk, _ in part])
        keys = dict(facts.values_list("tool", "pk"))
        changes = licences(apps, dict(part), now)
        Version.objects.bulk_create(
            Version(
                id=keys[tool],
                tool_id=tool,
                attribute_id=attribute.pk,
                kind=KIND,
                text=text or before,
                history_date=moment,
                history_type="-" if not text else "~" if before else "+",
                history_user_id=editor,
                history_change_reason=NOTE,
            )
            for tool, before, text, moment, editor in changes
        )
        facts.filter(text="").delete()


def licences(apps, present, now):
    """Each change of the field of these tools: tool, licence before and after, moment, editor."""
    versions = apps.get_model("tools", "HistoricalTool").objects.filter(id__in=present)
    rows = versions.order_by("id", "history_id")
    columns = ("id", "license", "history_date", "history_user_id")
    by_tool = groupby(rows.values_list(*columns).iterator(), key=itemgetter(0))
    known = {tool: [row[1:] for row in found] for tool, found in by_tool}
    for tool, last in present.items():
        before = ""
        for value, moment, editor in [*known.get(tool, ()), (last, now, None)]:
            text = value.strip()
            if text != before:
                yield tool, before, text, moment, editor
            before = text


def fill_fields(apps, schema_editor):
    """Give tools, and their versions, the licences of the facts at that time.

    Raises ValueError if a licence is longer than the field.
    """
    Tool, Fact = apps.get_model("tools", "Tool"), apps.get_model("tools", "Fact")
    facts = Fact.objects.filter(attribute__slug=SLUG).exclude(text="").order_by("pk")
    stated = dict(facts.values_list("tool", "text"))
    for tool, text in stated.items():
        if len(text) > LONGEST:
            name = Tool.objects.get(pk=tool).name
            raise ValueError(
                f"The licence of “{name}” has more than {LONGEST} characters, which the field "
                "cannot hold: shorten that fact first."
            )
    Tool.objects.bulk_update(
        [Tool(pk=pk, license=text) for pk, text in stated.items()], ["license"], BATCH
    )
    fill_versions(apps)


def fill_versions(apps):
    """Give the versions of tools the licences of their time."""
    Version = apps.get_model("tools", "HistoricalTool")
    changes = apps.get_model("tools", "HistoricalFact").objects.filter(
        attribute__in=apps.get_model("tools", "Attribute").objects.filter(slug=SLUG)
    )
    rows = changes.order_by("tool_id", "history_date", "history_id")
    columns = ("tool_id", "history_date", "history_type", "text")
    by_tool = groupby(rows.values_list(*columns), key=itemgetter(0))
    for tool, found in by_tool:
        for _, moment, sign, text in found:
            later = Version.objects.filter(id=tool, history_date__gte=moment)
            later.update(license="" if sign == "-" else text[:LONGEST])


class Migration(migrations.Migration):
    dependencies = [("tools", "0013_six_decimals")]
    operations = [migrations.RunPython(make_facts, fill_fields)]
