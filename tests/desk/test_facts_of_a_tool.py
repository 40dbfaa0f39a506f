"""Facts and plans on a tool's screen."""

import re
from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page
from tools.fact_values import AttributeKind
from tools.models import Attribute, EntryPrice, Fact, FactChange, Plan, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

OLD = date(2026, 5, 1)


@pytest.fixture
def tool(db):
    """A public tool with a take."""
    row = make.tool(name="Alpha", tagline="First")
    make.take(on=row)
    return row


def page_of(tool):
    return f"/admin/tools/tool/{tool.pk}/change/"


def field(attribute, name):
    asked = Attribute.objects.asked_in([Tool.objects.earliest("pk").category_id])
    return f"facts-{list(asked).index(attribute)}-{name}"


def opened_form(client, tool):
    return on_the_page(client.get(page_of(tool)))


def save(client, tool, **changes):
    """Open the screen, change fields and save."""
    return client.post(page_of(tool), opened_form(client, tool) | changes)


def test_each_attribute_of_the_category_has_a_row(publisher, tool):
    make.attribute(name="Context window", asked_in=[tool.category], group="Model")
    make.attribute(name="Licence")
    make.attribute(name="Index types", asked_in=[make.category()])
    page = publisher.get(page_of(tool)).content.decode()
    assert "Context window" in page
    assert "Licence" in page
    assert "Index types" not in page
    assert "0 of 2 answered" in page


ANSWERS = [
    (AttributeKind.NUMBER, [], "128,000", Decimal(128000)),
    (AttributeKind.YES_NO, [], "no", False),
    (AttributeKind.CHOICE, ["MIT", "GPL"], "GPL", "GPL"),
    (AttributeKind.CHOICES, ["Text", "Images"], "Images", ["Images"]),
    (AttributeKind.TEXT, [], " by phone ", "by phone"),
    (AttributeKind.DATE, [], "2026-04-03", date(2026, 4, 3)),
]


def test_a_value_alone_is_stated_and_checked_today(publisher, tool):
    rows = [make.attribute(kind=kind, choices=choices) for kind, choices, _, _ in ANSWERS]
    typed = {field(row, "answer"): text for row, (_, _, text, _) in zip(rows, ANSWERS, strict=True)}
    assert save(publisher, tool, **typed).status_code == 302
    for row, (kind, _, _, value) in zip(rows, ANSWERS, strict=True):
        fact = Fact.objects.get(attribute=row)
        assert (fact.value, fact.applies, fact.kind) == (value, True, kind)
        assert fact.checked_on == timezone.localdate()
        assert fact.history.get().history_user.username == "paula"


def test_a_fact_without_a_value_says_why(publisher, tool):
    words = [(kind, choices, word) for kind, choices, _, _ in ANSWERS for word in NO_VALUE]
    rows = [make.attribute(kind=kind, choices=choices) for kind, choices, _ in words]
    sent: dict[str, str] = {}
    for row, (_, _, word) in zip(rows, words, strict=True):
        sent |= {field(row, "answer"): word, field(row, "source"): "https://example.org"}
    assert save(publisher, tool, **sent).status_code == 302
    for row, (_, _, word) in zip(rows, words, strict=True):
        fact = Fact.objects.get(attribute=row)
        assert (fact.value, fact.applies) == (None, NO_VALUE[word]), (row.kind, word)
    form = opened_form(publisher, tool)
    assert {form[field(row, "answer")] for row in rows} == {"not stated", "n/a"}


def test_an_answer_has_one_control(publisher, tool):
    rows = [make.attribute(kind=kind, choices=choices) for kind, choices, _, _ in ANSWERS]
    names = {field(row, name) for row in rows for name in ("answer", "state")}
    sent = names & opened_form(publisher, tool).keys()
    page = publisher.get(page_of(tool)).content.decode()
    assert not [name for name in sent if name.endswith("state")]
    for row, (kind, _, _, _) in zip(rows, ANSWERS, strict=True):
        controls = re.findall(rf'<(input|select)[^>]* name="{field(row, "answer")}"', page)
        assert len(controls) == (4 if kind == AttributeKind.CHOICES else 1), kind


NO_VALUE = {"not stated": True, "not said": True, "n/a": False}


def test_a_quote_is_one_line_and_counts_as_a_check(publisher, tool):
    row = make.attribute()
    make.fact(Decimal(3), on=tool, to=row, source="https://example.org", checked_on=OLD)
    assert save(publisher, tool, **{field(row, "quote"): " Three\r\n  of them "}).status_code == 302
    fact = Fact.objects.get()
    assert (fact.quote, fact.checked_on) == ("Three of them", timezone.localdate())
    assert fact.history.first().quote == "Three of them"


def test_a_removed_answer_is_deleted(publisher, tool):
    row = make.attribute()
    make.fact(Decimal(3), on=tool, to=row, source="https://example.org")
    assert save(publisher, tool, **{field(row, "answer"): ""}).status_code == 302
    assert not Fact.objects.exists()
    assert Fact.history.first().history_user.username == "paula"


FAULTS = [
    ({"answer": "many"}, "answer", "“many” is no number"),
    ({"answer": "not stated; 3"}, "answer", "is no number"),
    ({"source": "https://example.org"}, "answer", "a source alone is none"),
    ({"answer": "3", "checked_on": "2199-01-01"}, "checked_on", "in the future"),
    ({"answer": "3", "source": "example.org"}, "source", "https://"),
    ({"answer": "not stated"}, "source", "Give the source that was read"),
    ({"answer": "3", "quote": "Three"}, "source", "where these words stand"),
    (
        {"answer": "3", "source": "https://example.org", "quote": "x" * 301},
        "quote",
        "at most 300 characters",
    ),
    (
        {"answer": "3", "source": "https://example.org/a?utm_source=x&page=2"},
        "source",
        "Remove the tracking from the address: https://example.org/a?page=2 is enough.",
    ),
]


def test_faults_are_marked_in_their_row(publisher, tool):
    rows = [make.attribute() for _ in FAULTS]
    sent = {
        field(row, key): text
        for row, (changes, _, _) in zip(rows, FAULTS, strict=True)
        for key, text in changes.items()
    }
    found = errors(save(publisher, tool, **sent))
    marked = {field(row, name): words for row, (_, name, words) in zip(rows, FAULTS, strict=True)}
    assert found.keys() == marked.keys()
    for name, words in marked.items():
        assert words in found[name][0]
    assert not Fact.objects.exists()


def test_a_note_does_not_limit_the_answer_where_an_editor_ticks_it(publisher, tool):
    row = make.attribute()
    sent = {field(row, "answer"): "3", field(row, "note"): "Both kinds"}
    assert save(publisher, tool, **sent).status_code == 302
    assert not Fact.objects.get().note_only_explains
    save(publisher, tool, **{field(row, "note_only_explains"): "on"})
    assert Fact.objects.get().note_only_explains
    assert "The note does not limit the answer" in publisher.get(page_of(tool)).content.decode()


def test_a_stored_source_that_follows_its_readers_hinders_no_other_change(publisher, tool):
    row = make.attribute()
    make.fact(Decimal(3), on=tool, to=row, source="https://example.org/?utm_source=x")
    assert save(publisher, tool, **{field(row, "answer"): "4"}).status_code == 302
    assert Fact.objects.get().value == 4


def test_still_true_sets_the_day_and_nothing_else(publisher, tool):
    row = make.attribute()
    make.fact(Decimal(3), on=tool, to=row, checked_on=OLD, source="https://example.org")
    assert save(publisher, tool, **{field(row, "still_true"): "on"}).status_code == 302
    fact = Fact.objects.get()
    assert (fact.value, fact.source) == (Decimal(3), "https://example.org")
    assert fact.checked_on == timezone.localdate()
    assert not FactChange.objects.exists()


def test_a_save_without_changes_writes_nothing(publisher, tool):
    make.fact(["A"], on=tool, to=make.attribute(kind=AttributeKind.CHOICES, choices=["A", "B"]))
    make.fact(False, on=tool, to=make.attribute(kind=AttributeKind.YES_NO))
    make.plan(on=tool)
    tool.entry = EntryPrice.PAID
    tool.save()
    before = Fact.history.count(), Plan.history.count(), tool.history.count()
    assert save(publisher, tool).status_code == 302
    assert (Fact.history.count(), Plan.history.count(), tool.history.count()) == before


def test_a_changed_answer_that_readers_saw_is_on_the_record(publisher, tool):
    row = make.attribute(name="Context window", unit="tokens")
    make.fact(Decimal(32000), on=tool, to=row)
    save(publisher, tool, **{field(row, "answer"): "128000"})
    change = FactChange.objects.get()
    assert (change.subject, change.before) == ("Context window", "32,000 tokens")
    assert change.after == "128,000 tokens"


def test_a_draft_s_answers_are_not_on_the_record(publisher):
    draft, row = make.tool(published_at=None), make.attribute()
    make.fact(Decimal(1), on=draft, to=row)
    save(publisher, draft, **{field(row, "answer"): "2"})
    assert Fact.objects.get().value == 2
    assert not FactChange.objects.exists()


def test_two_editors_of_one_fact_see_both_versions(publisher, tool):
    row = make.attribute(name="Context window")
    make.fact(Decimal(1), on=tool, to=row)
    other = desk_of("Publishers", name="ben")
    hers, his = opened_form(publisher, tool), opened_form(other, tool)
    assert other.post(page_of(tool), his | {field(row, "answer"): "2"}).status_code == 302
    response = publisher.post(page_of(tool), hers | {field(row, "answer"): "3"})
    assert response.status_code == 200
    forms = response.context["inline_admin_formsets"][1].formset.forms
    assert forms[0].conflict.who == "ben"
    assert ("Context window", "2", "3") in forms[0].conflict.rows
    assert Fact.objects.get().value == 2
    form_data = on_the_page(response)
    assert publisher.post(page_of(tool), form_data).status_code == 302
    assert Fact.objects.get().value == 3


def test_two_editors_of_different_facts_both_save(publisher, tool):
    one, two = make.attribute(), make.attribute(kind=AttributeKind.CHOICES, choices=["A", "B"])
    other = desk_of("Publishers", name="ben")
    hers, his = opened_form(publisher, tool), opened_form(other, tool)
    assert other.post(page_of(tool), his | {field(two, "answer"): "B"}).status_code == 302
    assert publisher.post(page_of(tool), hers | {field(one, "answer"): "3"}).status_code == 302
    assert {fact.attribute_id: fact.value for fact in Fact.objects.all()} == {
        one.pk: Decimal(3),
        two.pk: ["B"],
    }


def test_a_tool_that_moves_loses_the_facts_that_are_not_asked_there(publisher, tool):
    home = make.category()
    row = make.attribute(name="Index types", asked_in=[tool.category])
    stays = make.attribute(name="Licence", kind=AttributeKind.TEXT)
    make.fact(Decimal(1), on=tool, to=row)
    make.fact("MIT", on=tool, to=stays)
    form = opened_form(publisher, tool) | {"category": home.pk}
    page = publisher.post(page_of(tool), form, follow=True).content.decode()
    assert "because they do not apply to the tool’s category: “Index types”." in page
    assert [fact.attribute for fact in Fact.objects.all()] == [stays]


def test_plans_are_added_ordered_and_removed(publisher, tool):
    make.plan(on=tool, name="Team", position=1)
    new = {"plans-1-name": "Pro", "plans-1-amount": "20", "plans-1-per": "month"}
    new |= {"plans-0-DELETE": "on", "plans-2-name": "Free"}
    new |= {"plans-2-amount": "0", "plans-2-per": "month", "plans-2-ORDER": "1"}
    new |= {"plans-2-currency": "eur"}
    assert save(publisher, tool, **new).status_code == 302
    assert [(row.name, row.price) for row in Plan.objects.all()] == [
        ("Free", "Free"),
        ("Pro", "$20 per month"),
    ]
    tool.refresh_from_db()
    assert tool.entry == EntryPrice.FREEMIUM
    assert tool.history.first().history_user.username == "paula"
    subjects = {change.subject for change in FactChange.objects.all()}
    assert subjects == {"Team, per month, in USD", "Entry price"}


def test_a_plan_without_a_place_is_the_last(publisher, tool):
    make.plan(on=tool, name="Pro")
    new = {"plans-1-name": "Team", "plans-1-amount": "30", "plans-1-per": "month"}
    assert save(publisher, tool, **{"plans-0-ORDER": "99999"}, **new).status_code == 302
    assert [(row.name, row.position) for row in Plan.objects.all()] == [("Pro", 1), ("Team", 2)]


def test_the_entry_price_cannot_be_chosen_beside_plans(publisher, tool):
    make.plan(on=tool, amount="0")
    response = publisher.get(page_of(tool))
    assert "It follows from the plans below" in response.content.decode()
    publisher.post(page_of(tool), on_the_page(response) | {"entry": "paid"})
    tool.refresh_from_db()
    assert tool.entry == EntryPrice.FREE


def test_two_plans_of_one_name_and_period_are_refused(publisher, tool):
    make.plan(on=tool, name="Pro")
    new = {"plans-1-name": "Pro", "plans-1-amount": "30", "plans-1-per": "month"}
    response = save(publisher, tool, **new)
    assert "Two plans are called “Pro”" in str(errors(response)["plans"])


def test_two_plans_swap_names_and_periods_in_one_save(publisher, tool):
    month, year = make.plan(on=tool, name="Pro"), make.plan(on=tool, name="Team")
    swapped = {"plans-0-name": "Team", "plans-1-name": "Pro"}
    assert save(publisher, tool, **swapped).status_code == 302
    assert dict(Plan.objects.values_list("pk", "name")) == {month.pk: "Team", year.pk: "Pro"}
    Plan.objects.filter(pk=year.pk).update(per="year")
    Plan.objects.update(name="Pro")
    swapped = {"plans-0-per": "year", "plans-1-per": "month"}
    assert save(publisher, tool, **swapped).status_code == 302
    assert set(Plan.objects.values_list("pk", "name", "per")) == {
        (month.pk, "Pro", "year"),
        (year.pk, "Pro", "month"),
    }
    assert Plan.history.filter(id=month.pk)[0].per == "year"


def test_a_plan_that_a_colleague_removed_is_not_lost(publisher, tool):
    plan = make.plan(on=tool, name="Pro")
    form = opened_form(publisher, tool) | {"plans-0-amount": "30"}
    plan.delete()
    response = publisher.post(page_of(tool), form)
    assert response.status_code == 200
    assert 'value="30"' in response.content.decode()
    assert publisher.post(page_of(tool), on_the_page(response)).status_code == 302
    assert Plan.objects.get().amount == 30


def test_the_history_names_attribute_and_plan(publisher, tool):
    row = make.attribute(name="Context window")
    save(publisher, tool, **{field(row, "answer"): "3"})
    save(publisher, tool, **{field(row, "answer"): "128000"})
    page = publisher.get(f"/admin/tools/tool/{tool.pk}/history/").content.decode()
    assert "Context window" in page
    assert "128,000" in page


def test_the_number_of_queries_does_not_depend_on_that_of_the_attributes(
    publisher, tool, django_assert_max_num_queries
):
    for _ in range(30):
        make.fact(Decimal(1), on=tool, to=make.attribute())
    with django_assert_max_num_queries(40) as queries:
        publisher.get(page_of(tool))
    many = len(queries)
    Fact.objects.exclude(pk__in=[row.pk for row in Fact.objects.all()[:3]]).delete()
    Attribute.objects.filter(facts=None).delete()
    with django_assert_max_num_queries(many) as queries:
        publisher.get(page_of(tool))
    assert len(queries) == many


def test_a_writer_reads_the_facts_of_a_public_tool(writer, tool):
    make.fact(Decimal(128000), on=tool, to=make.attribute(name="Context window", unit="tokens"))
    make.plan(on=tool, name="Pro")
    page = writer.get(page_of(tool)).content.decode()
    assert "128,000 tokens" in page
    assert "$20 per month" in page
    assert "-answer" not in page


def test_a_preview_of_changed_facts_saves_nothing(publisher, tool):
    row = make.attribute()
    response = save(publisher, tool, **{field(row, "answer"): "3", "_preview": "Preview"})
    assert response.status_code == 200
    assert not Fact.objects.exists()
