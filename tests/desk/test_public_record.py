"""Changes of scores and verdicts that readers saw need a reason and go on the public record."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import Take, TakeChange
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, load
from tests.desk.forms import (
    ADD,
    errors,
    messages_of,
    on_the_page,
    opened,
    page_of,
    post,
    take_fields,
    take_name,
    tool_form,
    written_take,
)
from tests.markup import one_line, read
from tools.fact_writing import FactEdit, write_facts
from tools.models import FactChange, Tool
from tools.models.sources import STALE_AFTER_DAYS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

LONG = "word " * 60


@pytest.fixture
def public_take(db):
    return make.take(on=make.tool(tagline="A tool"), score=78, verdict="ship", body=LONG)


def test_a_changed_score_asks_for_a_reason_beside_it_and_a_corrected_text_for_none(
    publisher, public_take
):
    tool, reviewer = public_take.tool, public_take.reviewer
    corrected = post(publisher, tool, **take_fields(reviewer, body=f"{LONG}corrected"))
    assert corrected.status_code == 302
    assert not TakeChange.objects.exists()
    response = post(publisher, tool, **take_fields(reviewer, score="64"))
    assert set(errors(response)) == {f"{take_name(reviewer)}-reason"}
    public_take.refresh_from_db()
    assert public_take.score == 78
    typed = take_fields(reviewer, score="64", verdict="skip", reason="pricing tripled")
    assert post(publisher, tool, **typed).status_code == 302
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after) == (78, 64)
    assert (entry.verdict_before, entry.verdict_after) == ("ship", "skip")
    assert (entry.reason, entry.tool) == ("pricing tripled", tool)
    assert entry.reviewer == reviewer


def test_a_reason_is_one_line_for_readers_and_a_withdrawal_does_not_avoid_it(
    publisher, public_take
):
    for reason in ("", "two\nlines", "x" * 201, "   "):
        refused = errors(post(publisher, public_take, score="1", reason=reason))
        assert set(refused) == {"reason"}, reason
    public_take.withdraw(timezone.now())
    assert set(errors(post(publisher, public_take, score="1"))) == {"reason"}
    assert not TakeChange.objects.exists()


def test_what_readers_have_not_seen_needs_no_reason(publisher, clock):
    now = timezone.now()
    scheduled = make.take(published_at=now)
    clock(now - timedelta(minutes=1))
    for take in (
        make.take(published_at=None),
        make.take(on=make.tool(published_at=None)),
        scheduled,
    ):
        sent = opened(publisher, take)
        assert "reason" not in sent
        assert publisher.post(page_of(take), sent | {"score": "1"}).status_code == 302
    assert not TakeChange.objects.exists()
    clock(now + timedelta(minutes=1))
    assert "reason" in opened(publisher, scheduled)


def test_an_old_take_can_be_confirmed(publisher):
    old = timezone.now() - timedelta(days=STALE_AFTER_DAYS + 1)
    take = make.take(published_at=old)
    url = page_of(take)
    assert "Read again today" in publisher.get(url).content.decode()
    assert post(publisher, take, still_true="on").status_code == 302
    assert "Read again today" not in publisher.get(url).content.decode()


def test_a_deletion_does_not_avoid_the_record(publisher, public_take):
    tool, reviewer = public_take.tool, public_take.reviewer
    public_take.remove(timezone.now())
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip", "body": "x"}
    response = publisher.post("/admin/reviews/take/add/", sent)
    assert "Bring it back" in errors(response)["__all__"][0]
    make.take(on=tool)
    row = written_take(reviewer, score="1")
    response = publisher.post(page_of(tool), tool_form(tool, takes=[row]))
    assert "Bring it back" in errors(response)[f"{take_name(reviewer)}-__all__"][0]
    assert Take.objects.filter(reviewer=reviewer).count() == 0


def test_a_deleted_draft_may_be_written_again(publisher):
    take = make.take(published_at=None)
    take.remove(timezone.now())
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": "1", "verdict": "skip"}
    assert publisher.post("/admin/reviews/take/add/", sent).status_code == 302


@pytest.mark.parametrize("way", ["form", "plans", "document"])
def test_a_changed_entry_price_is_on_the_record(publisher, way):
    tool = make.take(on=make.tool(slug="priced", tagline="A tool", entry="free")).tool
    if way == "document":
        entry = {"slug": "priced", "name": tool.name, "category": tool.category.slug}
        load(as_file({"format": FORMAT, "tools": [entry | {"entry": "paid"}]}))
    else:
        plan = {"name": "Pro", "amount": "20", "currency": "USD", "per": "month"}
        plans = {f"plans-0-{name}": value for name, value in plan.items()}
        typed = {"form": {"entry": "paid"}, "plans": plans}[way]
        assert post(publisher, tool, **typed).status_code == 302
    change = FactChange.objects.get()
    assert (change.subject, change.before, change.after) == ("Entry price", "Free", "Paid")


def test_a_changed_status_is_on_the_record_and_on_the_page(publisher):
    tool = make.take(on=make.tool(tagline="A tool", status="active")).tool
    address = "https://example.org/end"
    typed = {"status": "discontinued", "status_on": "2026-06-18", "status_source": address}
    tracked = post(publisher, tool, **typed | {"status_source": f"{address}?ref=x"})
    assert set(errors(tracked)) == {"status_source"}
    assert post(publisher, tool, **typed).status_code == 302
    change = FactChange.objects.get()
    ended = "No longer maintained since 18 June 2026"
    assert (change.subject, change.before, change.after) == ("Status", "Active", ended)
    page = one_line(publisher.get(tool.get_absolute_url()).content)
    assert f"<bdi>Status</bdi>: <bdi>Active</bdi> → <bdi>{ended}</bdi>" in page
    assert tool.history.first().status == "discontinued"


def test_no_entry_price_is_chosen_for_a_new_tool(publisher):
    plan = {"amount": "20", "name": "Pro", "currency": "USD", "per": "month"}
    form = on_the_page(publisher.get(ADD)) | {"category": make.category().pk}
    assert form.get("entry", "") == ""
    for name, typed in {
        "nothing": {},
        "paid": {f"plans-0-{key}": value for key, value in plan.items()},
        "freemium": {"entry": "freemium"},
    }.items():
        response = publisher.post(ADD, form | {"name": name, "slug": name} | typed)
        assert ("No pricing" in " ".join(messages_of(response))) == (name == "freemium"), name
    assert set(Tool.objects.values_list("name", "entry")) == {
        ("freemium", "freemium"),
        ("paid", "paid"),
    }


def lines_of(client, tool):
    """The lines of a tool's public record."""
    return [line.text for line in read(client.get(tool.get_absolute_url())).of_class("change")]


@pytest.mark.parametrize(
    ("scores", "minutes", "lines"),
    [
        ((85, 78), 1, ["78 → 85 … A slip, corrected after 1 minute"]),
        ((85, 78), 0, ["78 → 85 … A slip, corrected after less than a minute"]),
        ((85, 78), 61, ["85 → 78 … A slip", "78 → 85 … A slip"]),
        ((85, 80), 1, ["85 → 80 … A slip", "78 → 85 … A slip"]),
        ((85, 78, 90), 1, ["78 → 90 … A slip", "78 → 85 … A slip, corrected after 1 minute"]),
    ],
)
def test_a_score_that_is_undone_within_an_hour_is_one_line(
    publisher, public_take, clock, scores, minutes, lines
):
    start = timezone.now()
    for at, score in enumerate(scores):
        clock(start + timedelta(minutes=minutes * at))
        response = post(publisher, public_take, score=str(score), reason="A slip")
        assert response.status_code == 302
    found = [
        re.sub(r"^.*?: (\d+ → \d+), .*?, A", r"\1 … A", line)
        for line in lines_of(Client(), public_take.tool)
    ]
    assert found == lines


def test_a_fact_that_is_undone_within_an_hour_is_one_line(clock):
    fact = make.fact("MIT", on=make.take().tool, to=make.attribute(kind="text"))
    start, key = timezone.now(), (fact.tool_id, fact.attribute_id)
    again = {"kind": "text", "applies": True, "text": "MIT"}
    edits = [FactEdit(key, {"text": "GPL"}), FactEdit(key, {"text": "MIT"}), FactEdit(key, None)]
    for minutes, edit in enumerate([*edits, FactEdit(key, again, is_new=True)]):
        write_facts([edit], Save(now=start + timedelta(minutes=minutes)))
    rows = FactChange.objects.all()
    changes = [(row.before, row.after, row.undone_at is not None) for row in rows]
    assert changes == [("MIT", "", True), ("MIT", "GPL", True)]


def test_an_editor_marks_a_line_as_a_correction_that_readers_see(publisher, public_take):
    assert post(publisher, public_take, score="64", reason="why").status_code == 302
    post(publisher, TakeChange.objects.get(), correction="We tested an old version.")
    (line,) = lines_of(Client(), public_take.tool)
    assert line.endswith("why; a correction: We tested an old version.")
    assert "We tested an old version." in Take.history.first().history_change_reason


def test_a_changed_price_is_marked_as_a_correction_by_publishers_alone(publisher, writer):
    tool = make.take().tool
    change = FactChange.objects.create(
        tool=tool, subject="Pro", before="$10", after="$20", at=timezone.now()
    )
    url = f"/admin/tools/factchange/{change.pk}/change/"
    assert writer.get(url).status_code == 403
    assert writer.post(url, {"correction": "x"}).status_code == 403
    sent = {"correction": "We misread the price list.", "after": "$1"}
    assert publisher.post(url, sent).status_code == 302
    (line,) = lines_of(Client(), tool)
    assert line.endswith("; a correction: We misread the price list.")
    change.refresh_from_db()
    assert change.after == "$20"
    assert publisher.post(f"/admin/tools/factchange/{change.pk}/delete/").status_code == 403
