"""Facts as CSV: round trip, faults by cell, histories and the public record."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.management import call_command

from shipskip.catalogue.applying import apply
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import FACTS
from tests import factories as make
from tests.catalogue.documents import as_file
from tests.catalogue.documents import load as load_document
from tools.fact_values import AttributeKind
from tools.models import Fact, FactChange

pytestmark = pytest.mark.django_db

HEADER = "tool,attribute,value,applies,note,source,checked\n"


@pytest.fixture
def alpha(db):
    return make.tool(slug="alpha", name="Alpha")


@pytest.fixture
def size(db):
    return make.attribute(slug="size", name="Size", unit="tokens")


def load(file, **more):
    """Load facts, as the command does."""
    return load_document(file, kind=FACTS, **more)


def dumped() -> str:
    return "".join(FACTS.dump())


def faults(rows: str) -> list[str]:
    """Every fault of a file; nothing may be written."""
    before = Fact.history.count()
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(HEADER + rows))
    assert Fact.history.count() == before
    return [str(fault) for fault in refused.value.faults]


def test_every_kind_of_value_is_restored_unchanged(alpha):
    values = {
        AttributeKind.NUMBER: Decimal("-1.5"),
        AttributeKind.YES_NO: False,
        AttributeKind.CHOICE: "=MIT",
        AttributeKind.CHOICES: ["Text", "Images"],
        AttributeKind.TEXT: '=HYPERLINK("x"), said',
        AttributeKind.DATE: date(2026, 4, 3),
    }
    choices = {AttributeKind.CHOICE: ["=MIT"], AttributeKind.CHOICES: ["Text", "Images"]}
    for kind, value in values.items():
        row = make.attribute(kind=kind, slug=f"of-{kind}", choices=choices.get(kind, []))
        make.fact(
            value, on=alpha, to=row, note="+ more", quote="=1 “said”", checked_on=date(2026, 5, 1)
        )
    make.fact(None, on=alpha, to=make.attribute(slug="unsaid"), source="https://a.example")
    make.fact(None, on=alpha, to=make.attribute(slug="no-question"), applies=False)
    text = dumped()
    Fact.objects.all().delete()
    assert load(as_file(text)).counts["facts"].created == 8
    assert dumped() == text
    assert {fact.kind: fact.value for fact in Fact.objects.exclude(note="")} == values
    report = load(as_file(text))
    assert (report.counts["facts"].left_alone, report.changed_anything) == (8, False)


def test_the_column_unconfirmed_says_what_no_editor_has_confirmed(alpha, size):
    make.fact(Decimal(1), on=alpha, to=size, unconfirmed=True)
    other = make.fact(Decimal(2), on=alpha, to=make.attribute(slug="other"))
    text = dumped()
    assert [row.rpartition(",")[2] for row in text.split()] == ["unconfirmed", "no", "yes"]
    assert not load(as_file(text)).changed_anything
    load(as_file(text.replace(",yes\r", ",no\r").replace(",2,", ",3,")))
    assert not Fact.objects.unconfirmed().exists()
    load(as_file("tool,attribute,value,unconfirmed\nalpha,other,3,yes\nalpha,size,1,\n"))
    assert [fact.pk for fact in Fact.objects.unconfirmed()] == [other.pk]
    load(as_file("tool,attribute,value\nalpha,other,4\n"))
    assert not Fact.objects.unconfirmed().exists()


def test_a_changed_fact_is_in_history_and_on_the_record(alpha, size):
    make.fact(Decimal(32000), on=alpha, to=size, source="https://old.example")
    text = 'tool,attribute,value\nalpha,size,"128,000"\n'
    report = load(as_file(text))
    [change] = report.changed.entries
    assert str(change) == "facts: size of alpha (value: “32,000” → “128,000”)"
    fact = Fact.objects.get()
    assert (fact.value, fact.source) == (Decimal(128000), "https://old.example")
    assert fact.history.first().history_change_reason == FACTS.note
    assert FactChange.objects.get().after == "128,000 tokens"


def test_a_dry_run_lists_the_same_and_writes_nothing(alpha, size):
    text = HEADER + "alpha,size,5,,,https://a.example/?fbclid=1,\n"
    report = load(as_file(text), dry_run=True)
    assert report.counts["facts"].created == 1
    assert not Fact.objects.exists()
    apply(report)
    fact = Fact.objects.get()
    assert (fact.value, fact.source) == (5, "https://a.example/"), "without what tracks readers"


def test_faults_name_line_column_and_remedy(alpha, size):
    make.attribute(slug="elsewhere", asked_in=[make.category()])
    make.attribute(slug="terms", kind=AttributeKind.CHOICE, choices=["MIT"])
    found = faults(
        "alhpa,size,1,,,,\n"
        "alpha,sise,1,,,,\n"
        "alpha,elsewhere,1,,,,\n"
        "alpha,size,many,,,,\n"
        "alpha,size,2,,,,\n"
        "alpha,terms,GPL,,,,\n"
        "alpha,terms,MIT,no,,example.org,2199-01-01\n"
    )
    assert found[0] == 'line 2, tool: "alhpa" is no tool of this site; did you mean "alpha"?'
    assert 'did you mean "size"?' in found[1]
    assert 'line 4, attribute: "elsewhere" is not asked of tools in' in found[2]
    assert found[3].startswith("line 5, value: “many” is no number")
    assert found[4] == ("line 6, attribute: has the tool and attribute of line 5 already; keep one")
    assert found[5] == "line 7, value: “GPL” is not one of the choices: MIT."
    rest = "\n".join(found[6:])
    assert "Begin the address with https://" in rest
    assert "in the future" in rest


def test_a_column_of_takes_is_refused_with_those_of_facts(alpha):
    with pytest.raises(InvalidFileError) as refused:
        load(as_file("tool,reviewer,score\n"))
    assert "is not a column of facts" in str(refused.value.faults[0])


def test_the_commands_write_and_read_a_file(alpha, size, tmp_path):
    make.fact(Decimal(3), on=alpha, to=size)
    file = tmp_path / "facts.csv"
    call_command("dump_facts", str(file))
    Fact.objects.all().delete()
    call_command("load_facts", str(file))
    assert Fact.objects.get().value == 3


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
    row = f"alpha,size,{cells}\n"
    if fault:
        assert fault in faults(row)[0]
    else:
        load(as_file(HEADER + row))
    kept = [Decimal(5)] if is_recorded else []
    found = [fact.value for fact in Fact.objects.all()]
    assert found == ([None] if fault is None else kept)
