"""Facts and plans on a tool's screen."""

import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.desk.acts import changes_of
from tests.desk.forms import errors, messages_of, on_the_page, opened, page_of, post
from tests.markup import read
from tools.fact_values import AttributeKind
from tools.fact_writing import FactEdit, write_facts
from tools.models import Attribute, EntryPrice, Fact, FactChange, Plan, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

OLD = date(2026, 5, 1)
SOURCE = "https://example.org"


@pytest.fixture
def tool(db):
    """A public tool with a take."""
    return make.take(on=make.tool(name="Alpha", tagline="First")).tool


def field(attribute, name):
    """The name of a field of an attribute's row."""
    asked = Attribute.objects.asked_in([Tool.objects.earliest("pk").category_id])
    return f"facts-{list(asked).index(attribute)}-{name}"


def fields(rows, changes):
    """The form data of the facts of these attributes, each with its changes."""
    return {
        field(row, name): text
        for row, own in zip(rows, changes, strict=True)
        for name, text in own.items()
    }


# --- Facts -----------------------------------------------------------------------------------

ANSWERS = [
    (AttributeKind.NUMBER, [], "128 000", Decimal(128000)),
    (AttributeKind.YES_NO, [], "no", False),
    (AttributeKind.CHOICE, ["MIT", "GPL"], "GPL", "GPL"),
    (AttributeKind.CHOICES, ["Text", "Images"], "Images", ["Images"]),
    (AttributeKind.TEXT, [], " by phone ", "by phone"),
    (AttributeKind.DATE, [], "2026-04-03", date(2026, 4, 3)),
]
"""A kind of attribute, its choices, an answer as typed, and the stored value."""
RESTATED = [
    *("attribute", "applies", "number", "yes_no", "text", "date"),
    *("note", "source", "quote", "checked_on"),
]
"""What a fact that is entered again states as before."""


def test_a_value_alone_is_stated_and_checked_today_and_a_fact_without_one_says_why(publisher, tool):
    rows = [make.attribute(kind=kind, choices=choices) for kind, choices, _, _ in ANSWERS]
    make.attribute(name="Index types", asked_in=[make.category()])
    form = publisher.get(page_of(tool))
    page = form.content.decode()
    assert "0 of 6 answered" in page
    assert "Index types" not in page, "it is asked in another category"
    for row in rows:
        controls = re.findall(rf'<(input|select)[^>]* name="{field(row, "answer")}"', page)
        assert len(controls) == (4 if row.kind == AttributeKind.CHOICES else 1), row.kind
    typed = fields(rows, [{"answer": text} for _, _, text, _ in ANSWERS])
    assert publisher.post(page_of(tool), on_the_page(form) | typed).status_code == 302
    for row, (kind, _, _, value) in zip(rows, ANSWERS, strict=True):
        fact = Fact.objects.get(attribute=row)
        assert (fact.value, fact.applies, fact.kind) == (value, True, kind)
        assert fact.checked_on == timezone.localdate()
        assert fact.history.get().history_user.username == "paula"
    texts = ["not stated", "n/a"] * 3
    unanswered = fields(rows, [{"answer": text, "source": SOURCE} for text in texts])
    assert post(publisher, tool, **unanswered).status_code == 302
    for row, text in zip(rows, texts, strict=True):
        fact = Fact.objects.get(attribute=row)
        assert (fact.value, fact.applies) == (None, text == "not stated")
    assert opened(publisher, tool).items() >= unanswered.items()


CHANGES: list[tuple[dict[str, Any], dict[str, str], dict[str, Any]]] = [
    ({}, {"quote": " Three\r\n  of them "}, {"quote": "Three of them"}),
    ({}, {"still_true": "on"}, {}),
    ({"source": f"{SOURCE}/?utm_source=x"}, {"answer": "4"}, {"value": 4}),
    ({}, {"note": "Both kinds"}, {"note": "Both kinds"}),
    ({"note": "One"}, {"note_only_explains": "on"}, {"note_only_explains": True}),
]
"""What a fact of the value 3 has, what is changed, and what is stored; all but notes are checks."""


def test_a_change_of_a_fact_is_stored_and_nothing_else(publisher, tool):
    rows = [make.attribute() for _ in CHANGES]
    before = {"value": 3, "source": SOURCE, "quote": "", "note": "", "note_only_explains": False}
    for row, (stored, _, _) in zip(rows, CHANGES, strict=True):
        make.fact(Decimal(3), on=tool, to=row, **{"source": SOURCE, "checked_on": OLD} | stored)
    sent = fields(rows, [changes for _, changes, _ in CHANGES])
    assert post(publisher, tool, **sent).status_code == 302
    for row, (stored, changes, expected) in zip(rows, CHANGES, strict=True):
        fact = Fact.objects.get(attribute=row)
        assert {name: getattr(fact, name) for name in before} == before | stored | expected
        is_check = not any(name.startswith("note") for name in changes)
        assert fact.checked_on == (timezone.localdate() if is_check else OLD), changes
        assert fact.history.count() == 2
    assert [change.after for change in FactChange.objects.all()] == ["4"]


TRACKED = f"{SOURCE}/a?utm_source=x&page=2"
FAULTS = [
    ({"answer": "many"}, "answer", "“many” is no number"),
    ({"answer": "not stated; 3"}, "answer", "is no number"),
    ({"source": SOURCE}, "answer", "a source alone is none"),
    ({"answer": "3", "checked_on": "2199-01-01"}, "checked_on", "in the future"),
    ({"answer": "3", "source": "example.org"}, "source", "https://"),
    ({"answer": "not stated"}, "source", "Give the source that was read"),
    ({"answer": "3", "quote": "Three"}, "source", "where these words stand"),
    ({"answer": "3", "source": SOURCE, "quote": "x" * 301}, "quote", "at most 300 characters"),
    ({"answer": "3", "source": TRACKED}, "source", f"{SOURCE}/a?page=2 is enough."),
]
"""What is sent for a fact, the field that is at fault, and words of the fault."""


def test_faults_are_marked_in_their_row(publisher, tool):
    rows = [make.attribute() for _ in FAULTS]
    found = errors(post(publisher, tool, **fields(rows, [changes for changes, _, _ in FAULTS])))
    marked = fields(rows, [{name: words} for _, name, words in FAULTS])
    assert found.keys() == marked.keys()
    for name, words in marked.items():
        assert words in found[name][0]
    assert not Fact.objects.exists()


def test_a_writer_reads_facts_and_prices_of_a_public_tool(writer, tool):
    make.fact(Decimal(128000), on=tool, to=make.attribute(unit="tokens"))
    make.plan(on=tool)
    page = writer.get(page_of(tool))
    assert "128,000 tokens" in read(page).text
    assert "$20 per month" in read(page).text
    assert "-answer" not in page.content.decode()


def test_a_changed_answer_that_readers_saw_is_on_the_record(publisher, tool):
    row = make.attribute(name="Context window", unit="tokens")
    make.fact(Decimal(32000), on=tool, to=row)
    post(publisher, tool, **{field(row, "answer"): "128000"})
    assert Fact.objects.get().value == 128000
    change = FactChange.objects.get()
    assert (change.tool, change.subject) == (tool, "Context window")
    assert (change.before, change.after) == ("32,000 tokens", "128,000 tokens")
    history = publisher.get(page_of(tool, "history")).content.decode()
    assert "Context window" in history
    assert "128,000" in history
    assert post(publisher, tool, **{field(row, "answer"): ""}).status_code == 302
    assert not Fact.objects.filter(tool=tool).exists()
    assert Fact.history.first().history_user.username == "paula"


def test_a_tool_that_moves_loses_the_facts_that_are_not_asked_there(publisher, tool):
    row = make.attribute(name="Index types", asked_in=[tool.category])
    stays = make.attribute(name="Licence", kind=AttributeKind.TEXT)
    make.fact(Decimal(1), on=tool, to=row)
    make.fact("MIT", on=tool, to=stays)
    form = opened(publisher, tool) | {"category": make.category().pk}
    messages = " ".join(messages_of(publisher.post(page_of(tool), form)))
    assert "because they do not apply to the tool’s category: “Index types”." in messages
    assert [fact.attribute for fact in Fact.objects.all()] == [stays]


@pytest.mark.both_databases
def test_history_shows_a_deleted_fact_s_values_and_the_form_takes_them_again(publisher, tool):
    rows = [make.attribute(kind=kind, choices=choices) for kind, choices, _, _ in ANSWERS]
    about = {"source": SOURCE, "quote": "As said", "note": "Beta", "checked_on": OLD}
    for row, (_, _, _, value) in zip(rows, ANSWERS, strict=True):
        make.fact(value, on=tool, to=row, **about)
    make.fact(None, on=tool, to=make.attribute(name="Silent"), **about)
    make.fact(None, on=tool, to=make.attribute(name="Beside"), applies=False, **about)
    stated = list(Fact.objects.order_by("attribute").values(*RESTATED))
    write_facts([FactEdit((tool.pk, each["attribute"]), None) for each in stated], Save())

    page = publisher.get(page_of(tool, "history"))
    number = next(each for each in page.context["page"].rows if each.subject == rows[0].name)
    assert number.action == "Deleted"
    assert set(changes_of(number)) == {
        "Source: https://example.org → ",
        "Quote: As said → ",
        "Checked on: 2026-05-01 → ",
        "Note: Beta → ",
        "Number: 128,000 → ",
    }
    created = [each for each in page.context["page"].rows if each.subject == rows[0].name][-1]
    assert "Number:  → 128,000" in changes_of(created)

    links = re.findall(r'href="([^"]*[?]again=[^"]*)"', page.content.decode())
    assert len(links) == len(stated)
    for link in links:
        publisher.post(page_of(tool), on_the_page(publisher.get(link)))
    assert list(Fact.objects.order_by("attribute").values(*RESTATED)) == stated
    assert "again=" not in publisher.get(page_of(tool, "history")).content.decode()
    # A link that is opened late changes no answer that was given meanwhile.
    late = on_the_page(publisher.get(links[0]))
    assert late[field(rows[0], "answer")] == "128000"
    publisher.post(page_of(tool), late | {field(rows[0], "answer"): "3"})
    assert on_the_page(publisher.get(links[0]))[field(rows[0], "answer")] == "3"


def test_a_deleted_fact_is_offered_again_only_where_its_question_is_asked(publisher, tool):
    row = make.attribute(name="Index types", asked_in=[tool.category])
    fact, other = make.fact(Decimal(1), on=tool, to=row), make.tool(in_category=tool.category)
    fact.delete()
    link = f"?again={Fact.history.first().history_id}"
    assert link in publisher.get(page_of(tool, "history")).content.decode()
    assert field(row, "answer") in opened(publisher, other)
    filled = on_the_page(publisher.get(page_of(other) + link))
    assert filled[field(row, "answer")] == ""
    Tool.objects.filter(pk=tool.pk).update(category=make.category())
    assert link not in publisher.get(page_of(tool, "history")).content.decode()


# --- Plans -----------------------------------------------------------------------------------


def plan_form(at, name, amount, **more):
    """Form data of a plan per month."""
    own = {"name": name, "amount": amount, "per": "month"} | more
    return {f"plans-{at}-{key}": text for key, text in own.items()}


def plans():
    return [(plan.name, plan.price, plan.position) for plan in Plan.objects.all()]


def test_plans_are_added_ordered_and_removed_and_the_entry_price_follows_them(publisher, tool):
    make.plan(on=tool, name="Team", position=1)
    new = plan_form(1, "Pro", "20") | plan_form(2, "Free", "0", ORDER="1", currency="eur")
    assert post(publisher, tool, **new, **{"plans-0-DELETE": "on"}).status_code == 302
    assert [plan[:2] for plan in plans()] == [("Free", "Free"), ("Pro", "$20 per month")]
    tool.refresh_from_db()
    assert tool.entry == EntryPrice.FREEMIUM
    assert tool.history.first().history_user.username == "paula"
    subjects = {change.subject for change in FactChange.objects.all()}
    assert subjects == {"Team, per month, in USD", "Entry price"}
    form = publisher.get(page_of(tool))
    assert "It follows from the plans below" in read(form).text
    sent = on_the_page(form) | plan_form(2, "Last", "30") | {"entry": "paid"}
    unclear = publisher.post(page_of(tool), sent | {"plans-1-amount": "1,234"})
    assert "can mean 1234 or 1.234" in unclear.content.decode()
    sent |= {"plans-1-amount": "25,00"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    prices = ["Free", "$25 per month", "$30 per month"]
    assert plans() == list(zip(["Free", "Pro", "Last"], prices, [1, 2, 3], strict=True))
    assert post(publisher, tool, **{"plans-0-ORDER": "99999"}).status_code == 302
    assert [plan[0] for plan in plans()] == ["Pro", "Last", "Free"]
    tool.refresh_from_db()
    assert tool.entry == EntryPrice.FREEMIUM, "it cannot be chosen beside plans"


def messages_after(client, tool, **typed) -> str:
    sent = opened(client, tool) | typed
    return read(client.post(page_of(tool), sent, follow=True)).visible_text


def test_a_save_says_where_a_price_stands_that_no_plan_asks_any_more(publisher, tool):
    take = make.take(on=tool, body="At $10 it is cheap; Beta asks $30.")
    make.plan(on=tool, name="Pro", amount="10", quote="Pro: $10 a month", source=SOURCE)
    Tool.objects.filter(pk=tool.pk).update(pricing="Pro $10/mo, Team $40/mo", tagline="From $100.")
    found = messages_after(publisher, tool, **{"plans-0-amount": "15"})
    assert (
        f"$10 is the price of no plan, and still stands in: Pricing, {take.reviewer}’s take and "
        "quote of Pro."
    ) in found
    assert "$40 is the price of no plan, and still stands in: Pricing." in found
    assert "is the price of no plan" not in messages_after(publisher, tool, maker="A maker")
    gone = messages_after(publisher, tool, **{"plans-0-DELETE": "on"})
    assert "“Entry price” stays Paid, and is yours to choose now." in gone
    assert "Readers see the change now" in gone


def test_a_trial_is_no_free_plan_and_a_month_of_each_user_is_one(publisher, tool):
    make.take(on=tool)
    form = plan_form(0, "Free trial", "0")
    assert "A trial is not free" in str(errors(post(publisher, tool, **form))["plans-0-per"])
    typed = form | {"plans-0-per": "Trial"} | plan_form(1, "Pro", "20", per="Seat / month")
    assert post(publisher, tool, **typed).status_code == 302
    assert [plan[1] for plan in plans()] == ["Free trial", "$20 per user and month"]
    tool.refresh_from_db()
    assert tool.entry == EntryPrice.PAID


def test_plans_swap_names_and_periods_in_one_save_and_never_share_both(publisher, tool):
    named = [("Pro", "month"), ("Team", "month"), ("Pro", "year")]
    for at, (name, per) in enumerate(named):
        make.plan(on=tool, name=name, per=per, position=at)
    pks = [plan.pk for plan in Plan.objects.order_by("position")]
    sent = opened(publisher, tool) | {"plans-1-name": "Pro"}
    same = publisher.post(page_of(tool), sent)
    assert "Two plans are called “Pro”" in str(errors(same)["plans"])
    sent |= {"plans-0-name": "Team", "plans-1-per": "year", "plans-2-per": "month"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    swapped = [("Team", "month"), ("Pro", "year"), ("Pro", "month")]
    assert [Plan.objects.values_list("name", "per").get(pk=pk) for pk in pks] == swapped
    assert Plan.history.filter(id=pks[1])[0].per == "year"
