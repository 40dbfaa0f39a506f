"""The list of what the sources say, from which editors renew facts and prices."""

from datetime import date

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import on_the_page
from tests.markup import one_line
from tools.models import Fact, Outcome, Plan, SourceCheck
from tools.models.source_checks import check_key

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PATH = "/admin/due/sources/"
OLD = date(2025, 1, 1)
QUOTE = "Yes, it does"


def checked(row: Fact | Plan, outcome: Outcome, detail: str = "") -> None:
    """Store a look at the source of a row."""
    now = timezone.now()
    there = now if outcome is Outcome.THERE else None
    SourceCheck.objects.create(
        key=check_key(row.source, row.quote),
        source=row.source,
        quote=row.quote,
        outcome=outcome,
        detail=detail,
        checked_at=now,
        there_at=there,
    )


@pytest.fixture
def facts(db):
    """An old fact for each outcome, one never looked at, and one that is not old."""
    tool = make.tool(name="Alpha")
    found = {}
    for outcome in (*Outcome, None):
        row = make.attribute(name=f"On {outcome}", kind="yes-no")
        source = {"source": f"https://a.example/{outcome}", "checked_on": OLD, "quote": QUOTE}
        found[outcome] = make.fact(True, on=tool, to=row, **source)
        if outcome:
            checked(found[outcome], outcome, "answered 404" if outcome is Outcome.GONE else "")
    fresh = make.attribute(name="Fresh", kind="yes-no")
    today = timezone.localdate()
    make.fact(
        True, on=tool, to=fresh, source="https://a.example/there", quote=QUOTE, checked_on=today
    )
    return found


def listed(client, query: str = "") -> list[str]:
    page = client.get(PATH + query).content.decode()
    return [f"On {each}" for each in (*Outcome, None) if f"On {each}<" in page]


def test_each_outcome_has_its_list(publisher, facts):
    assert listed(publisher) == ["On there"]
    assert listed(publisher, "?what=old") == [f"On {outcome}" for outcome in facts]
    for outcome in Outcome:
        assert listed(publisher, f"?what={outcome}") == [f"On {outcome}"]
    assert "Fresh" in publisher.get(f"{PATH}?what=there").content.decode()
    page = one_line(publisher.get(f"{PATH}?what=old").content)
    assert "The page is gone: answered 404" in page
    assert "Not looked for yet" in page
    assert f"<bdi>{QUOTE}</bdi>" in page
    assert "There is none." in publisher.get(f"{PATH}?kind=plans").content.decode()
    assert "“never”" in publisher.get(f"{PATH}?what=never&page=0").content.decode()


def test_one_press_renews_one_and_another_all_that_are_ticked(publisher, facts):
    make.plan(on=facts[None].tool, source="https://a.example/", quote=QUOTE, checked_on=OLD)
    checked(Plan.objects.get(), Outcome.THERE)
    today = timezone.localdate()
    shown = on_the_page(publisher.get(f"{PATH}?what=old"))
    one = shown | {"renew": str(facts[Outcome.GONE].pk)}
    assert publisher.post(f"{PATH}?what=old", one).status_code == 303
    assert [fact.attribute.name for fact in Fact.objects.filter(checked_on=today)] == (
        ["On gone", "Fresh"]
    )
    response = publisher.post(PATH, on_the_page(publisher.get(PATH)), follow=True)
    assert "1 answer renewed." in response.content.decode()
    assert Fact.objects.get(pk=facts[Outcome.THERE].pk).checked_on == today
    plans = f"{PATH}?kind=plans"
    publisher.post(plans, on_the_page(publisher.get(plans)))
    assert Plan.objects.get().checked_on == today
    assert Plan.history.first().history_user.username == "paula"


def test_what_changed_meanwhile_is_not_renewed(publisher, facts):
    shown = on_the_page(publisher.get(PATH))
    fact = facts[Outcome.THERE]
    fact.set_value(False)
    fact.save()
    page = publisher.post(PATH, shown, follow=True).content.decode()
    assert "1 answer not renewed: changed meanwhile" in page
    assert Fact.objects.get(pk=fact.pk).checked_on == OLD


JUNK = [{"renew": "x"}, {"renew": "9" * 30}, {"tick": ["", "-1", "\x00", "9" * 18]}, {}]


@pytest.mark.parametrize("sent", JUNK, ids=str)
def test_junk_renews_nothing(publisher, facts, sent):
    assert publisher.post(PATH, sent).status_code == 303
    assert not Fact.objects.filter(checked_on=timezone.localdate()).exclude(attribute__name="Fresh")


def test_writers_see_the_list_and_renew_nothing_public(writer, facts):
    assert "Renew" not in writer.get(PATH).content.decode()
    pk = facts[Outcome.THERE].pk
    version = Fact.history.filter(id=pk).latest().history_id
    writer.post(PATH, {"renew": str(pk), f"version-{pk}": str(version)})
    assert Fact.objects.get(pk=pk).checked_on == OLD
    assert desk_of(name="nobody").get(PATH).status_code in (302, 403)


def test_a_tool_s_form_and_the_list_of_due_say_what_was_found(publisher, facts):
    tool = facts[None].tool
    page = one_line(publisher.get(f"/admin/tools/tool/{tool.pk}/change/").content)
    day = timezone.localdate()
    assert f"Still there on {day.day} {day:%B %Y}" in page
    assert "The page is gone: answered 404" in page
    assert "Not looked for yet" in page
    due = one_line(publisher.get("/admin/due/").content)
    assert 'the page is gone <a href="/admin/due/sources/?what=gone">1' in due
    facts[Outcome.GONE].quote = "Other words"
    facts[Outcome.GONE].save()
    page = one_line(publisher.get(f"/admin/tools/tool/{tool.pk}/change/").content)
    assert "The page is gone" not in page, "that was another quote"
