"""The list of what the sources say, from which editors renew facts and prices."""

from datetime import UTC, date, datetime

import pytest

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import on_the_page, page_of
from tests.markup import read
from tools.models import Fact, Outcome, Plan, SourceCheck
from tools.models.source_checks import check_key

pytestmark = pytest.mark.django_db

PATH = "/admin/due/sources/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
TODAY = NOW.date()
OLD = date(2025, 1, 1)
QUOTE = "Yes, it does"


def checked(row: Fact | Plan, outcome: Outcome) -> None:
    """Store a look at the source of a row."""
    SourceCheck.objects.create(
        key=check_key(row.source, row.quote),
        source=row.source,
        quote=row.quote,
        outcome=outcome,
        detail="answered 404" if outcome is Outcome.GONE else "",
        checked_at=NOW,
        there_at=NOW if outcome is Outcome.THERE else None,
    )


@pytest.fixture(autouse=True)
def facts(db, clock):
    """An old fact for each outcome, one never looked at, and one that is not old."""
    clock(NOW)
    tool, found = make.tool(name="Alpha"), {}
    source = {"source": "https://a.example/", "checked_on": OLD, "quote": QUOTE}
    for outcome in (*Outcome, None):
        own = source | {"source": f"https://a.example/{outcome}"}
        question = make.attribute(name=f"On {outcome}", kind="yes-no")
        found[outcome] = make.fact(True, on=tool, to=question, **own)
        if outcome:
            checked(found[outcome], outcome)
    fresh = source | {"source": "https://a.example/there", "checked_on": TODAY}
    make.fact(True, on=tool, to=make.attribute(name="Fresh", kind="yes-no"), **fresh)
    return found


def listed(client, query: str = "") -> list[str]:
    """The questions of the facts in a list."""
    page = read(client.get(PATH + query))
    return [bdi.text for bdi in page.all("bdi") if bdi.text.startswith(("On ", "Fresh"))]


def renewed_today() -> list[str]:
    return [fact.attribute.name for fact in Fact.objects.filter(checked_on=TODAY)]


def test_the_list_shows_each_old_fact_with_what_its_source_says(publisher, snapshot):
    assert read(publisher.get(f"{PATH}?what=old")).visible_text == snapshot


def test_each_outcome_has_its_list(publisher):
    lists = {f"?what={outcome}": [f"On {outcome}"] for outcome in Outcome}
    lists["?what=there"].append("Fresh")
    lists[""] = ["On there"]
    assert {query: listed(publisher, query) for query in lists} == lists
    assert "There is none." in read(publisher.get(f"{PATH}?kind=plans")).text
    assert "“never”" in read(publisher.get(f"{PATH}?what=never&page=0")).text


@pytest.mark.both_databases
def test_one_press_renews_one_and_another_all_that_are_ticked(publisher, facts):
    make.plan(on=facts[None].tool, source="https://a.example/", quote=QUOTE, checked_on=OLD)
    checked(Plan.objects.get(), Outcome.THERE)
    shown = on_the_page(publisher.get(f"{PATH}?what=old"))
    one = shown | {"renew": str(facts[Outcome.GONE].pk)}
    assert publisher.post(f"{PATH}?what=old", one).status_code == 303
    assert renewed_today() == ["On gone", "Fresh"]
    response = publisher.post(PATH, on_the_page(publisher.get(PATH)), follow=True)
    assert "1 answer renewed." in read(response).text
    assert "On there" in renewed_today()
    plans = f"{PATH}?kind=plans"
    publisher.post(plans, on_the_page(publisher.get(plans)))
    assert Plan.objects.get().checked_on == TODAY
    assert Plan.history.first().history_user.username == "paula"


@pytest.mark.both_databases
def test_neither_junk_nor_what_changed_meanwhile_nor_by_a_writer_is_renewed(
    publisher, writer, facts
):
    for junk in ({"renew": "x"}, {"renew": "9" * 30}, {"tick": ["", "-1", "\x00", "9" * 18]}, {}):
        assert publisher.post(PATH, junk).status_code == 303, junk
    assert "Renew" not in read(writer.get(PATH)).text
    fact = facts[Outcome.THERE]
    version = Fact.history.filter(id=fact.pk).latest().history_id
    writer.post(PATH, {"renew": str(fact.pk), f"version-{fact.pk}": str(version)})
    assert renewed_today() == ["Fresh"]
    assert desk_of(name="nobody").get(PATH).status_code == 403
    shown = on_the_page(publisher.get(PATH))
    fact.set_value(False)
    fact.save()
    page = read(publisher.post(PATH, shown, follow=True)).text
    assert "1 answer not renewed: changed meanwhile" in page
    assert renewed_today() == ["Fresh"]


def test_a_tool_s_form_and_the_list_of_due_say_what_was_found(publisher, facts):
    url = page_of(facts[None].tool)
    page = read(publisher.get(url)).text
    assert "Still there on 15 June 2026" in page
    assert "The page is gone: answered 404" in page
    assert "Not looked for yet" in page
    due = read(publisher.get("/admin/due/"))
    assert "the page is gone 1" in due.text
    assert f"{PATH}?what=gone" in due.links
    facts[Outcome.GONE].quote = "Other words"
    facts[Outcome.GONE].save()
    assert "The page is gone" not in read(publisher.get(url)).text, "that was another quote"
