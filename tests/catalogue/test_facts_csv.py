"""Facts as CSV: round trip, faults by cell, histories and the public record."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.management import call_command

from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import Changes
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import FACTS
from tests import factories as make
from tests.catalogue.documents import as_file
from tests.catalogue.documents import load as load_file
from tools.fact_values import AttributeKind
from tools.models import Fact, FactChange

pytestmark = pytest.mark.django_db

HEADER = "tool,attribute,value,applies,note,source,checked\n"


@pytest.fixture
def alpha(db):
    return make.tool(slug="alpha", name="Alpha", in_category=make.category(slug="chat"))


@pytest.fixture
def size(db):
    return make.attribute(slug="size", name="Size", unit="tokens")


def load(text: str, **more) -> Changes:
    return load_file(as_file(text), kind=FACTS, **more)


def dumped() -> str:
    return "".join(FACTS.dump())


def faults(text: str) -> list[str]:
    """Every fault of a file; nothing may be written."""
    before = Fact.history.count()
    with pytest.raises(InvalidFileError) as refused:
        load(text)
    assert Fact.history.count() == before
    return [str(fault) for fault in refused.value.faults]


def test_every_kind_of_value_is_restored_unchanged(alpha, tmp_path):
    values = {
        AttributeKind.NUMBER: Decimal("-1.5"),
        AttributeKind.YES_NO: False,
        AttributeKind.CHOICE: "=MIT",
        AttributeKind.CHOICES: ["Text", "Images"],
        AttributeKind.TEXT: '=HYPERLINK("x"), said',
        AttributeKind.DATE: date(2026, 4, 3),
    }
    choices = {AttributeKind.CHOICE: ["=MIT"], AttributeKind.CHOICES: ["Text", "Images"]}
    about = {"note": "+ more", "quote": "=1 “said”", "checked_on": date(2026, 5, 1)}
    for kind, value in values.items():
        row = make.attribute(kind=kind, slug=f"of-{kind}", choices=choices.get(kind, []))
        make.fact(value, on=alpha, to=row, **about)
    make.fact(None, on=alpha, to=make.attribute(slug="unsaid"), source="https://a.example")
    make.fact(None, on=alpha, to=make.attribute(slug="no-question"), applies=False)
    text = dumped()
    call_command("dump_facts", str(tmp_path / "facts.csv"))
    Fact.objects.all().delete()
    call_command("load_facts", str(tmp_path / "facts.csv"))
    assert dumped() == text
    assert {fact.kind: fact.value for fact in Fact.objects.exclude(note="")} == values
    changes = load(text)
    assert (changes.counts["facts"].left_alone, changes.changed_anything) == (8, False)


def test_the_column_unconfirmed_says_what_no_editor_has_confirmed(alpha, size):
    make.fact(Decimal(1), on=alpha, to=size, unconfirmed=True)
    other = make.fact(Decimal(2), on=alpha, to=make.attribute(slug="other"))
    text = dumped()
    assert [row.rpartition(",")[2] for row in text.split()] == ["unconfirmed", "no", "yes"]
    assert not load(text).changed_anything
    load(text.replace(",yes\r", ",no\r").replace(",2,", ",3,"))
    assert not Fact.objects.unconfirmed().exists()
    load("tool,attribute,value,unconfirmed\nalpha,other,3,yes\nalpha,size,1,\n")
    assert [fact.pk for fact in Fact.objects.unconfirmed()] == [other.pk]
    load("tool,attribute,value\nalpha,other,4\n")
    assert not Fact.objects.unconfirmed().exists()


def test_a_changed_fact_is_in_history_and_on_the_record_and_a_dry_run_writes_nothing(alpha, size):
    changes = load(HEADER + "alpha,size,32,,,https://a.example/?fbclid=1,\n", dry_run=True)
    assert changes.counts["facts"].created == 1
    assert not Fact.objects.exists()
    apply(changes)
    assert Fact.objects.get().source == "https://a.example/", "without what tracks readers"
    [change] = load('tool,attribute,value\nalpha,size,"128,000"\n').changed.entries
    assert str(change) == "facts: size of alpha (value: “32” → “128,000”)"
    fact = Fact.objects.get()
    assert (fact.value, fact.source) == (Decimal(128000), "https://a.example/")
    assert fact.history.first().history_change_reason == FACTS.note
    assert FactChange.objects.get().after == "128,000 tokens"


def test_faults_name_line_column_and_remedy(alpha, size, snapshot):
    make.attribute(slug="elsewhere", asked_in=[make.category()])
    make.attribute(slug="terms", kind=AttributeKind.CHOICE, choices=["MIT"])
    assert faults(
        HEADER + "alhpa,size,1,,,,\n"
        "alpha,sise,1,,,,\n"
        "alpha,elsewhere,1,,,,\n"
        "alpha,size,many,,,,\n"
        "alpha,size,2,,,,\n"
        "alpha,terms,GPL,,,,\n"
        "alpha,terms,MIT,no,,example.org,2199-01-01\n"
    ) == snapshot(name="rows")
    assert faults("tool,reviewer,score\n")[0] == snapshot(name="a column of takes")


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        (",,,,", ""),
        (",yes,,,2026-05-01", "is empty: write “not said”"),
        (",,,https://a.example,", "is empty: write “not said”"),
        ("not said,,,,", "“source” is empty: give what was read"),
        ("Not stated,,,https://a.example,2026-05-01", None),
    ],
)
@pytest.mark.parametrize("is_recorded", [True, False], ids=["recorded", "not recorded"])
def test_an_empty_value_changes_nothing_and_silence_is_said_in_words(
    alpha, size, cells, fault, is_recorded
):
    if is_recorded:
        make.fact(Decimal(5), on=alpha, to=size)
    text = f"{HEADER}alpha,size,{cells}\n"
    if fault:
        assert fault in faults(text)[0]
    else:
        load(text)
    kept = [Decimal(5)] if is_recorded else []
    found = [fact.value for fact in Fact.objects.all()]
    assert found == ([None] if fault is None else kept)
