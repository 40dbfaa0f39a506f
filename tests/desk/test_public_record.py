"""Changes of scores and verdicts that readers saw need a reason and go on the public record."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from reviews.take_writing import TakeEdit, write_takes
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.desk.forms import (
    ADD,
    errors,
    list_of,
    messages_of,
    on_the_page,
    opened,
    page_of,
    post,
    take_fields,
    take_name,
    written_take,
)
from tests.markup import read
from tools.fact_writing import FactEdit, write_facts
from tools.models import FactChange, Tool
from tools.models.sources import STALE_AFTER_DAYS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

PLAN = {"plans-0-name": "Pro", "plans-0-amount": "20", "plans-0-per": "month"}


@pytest.fixture
def public_take(db):
    return make.take(on=make.tool(tagline="A tool"), score=78)


def lines_of(client, tool):
    """The lines of a tool's public record."""
    return [line.text for line in read(client.get(tool.get_absolute_url())).of_class("change")]


def test_a_changed_score_asks_for_a_reason_beside_it_and_a_corrected_text_for_none(
    publisher, public_take
):
    tool, reviewer = public_take.tool, public_take.reviewer
    forged = {"tool": make.tool().pk, "reviewer": make.reviewer().pk}
    assert post(publisher, public_take, body="Corrected.", **forged).status_code == 302
    assert not TakeChange.objects.exists()
    sent = opened(publisher, tool) | take_fields(reviewer, score="64", verdict="skip")
    response = publisher.post(page_of(tool), sent)
    assert set(errors(response)) == {f"{take_name(reviewer)}-reason"}
    kept = (tool.pk, reviewer.pk, 78, "Corrected.")
    assert Take.objects.values_list("tool", "reviewer", "score", "body").get() == kept
    sent |= take_fields(reviewer, reason="pricing tripled")
    assert publisher.post(page_of(tool), sent).status_code == 302
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after) == (78, 64)
    assert (entry.verdict_before, entry.verdict_after) == ("ship", "skip")
    assert (entry.reason, entry.tool, entry.reviewer) == ("pricing tripled", tool, reviewer)


def test_neither_a_withdrawal_nor_a_deletion_avoids_the_record(publisher, public_take):
    tool, reviewer = public_take.tool, public_take.reviewer
    public_take.withdraw(timezone.now())
    sent = opened(publisher, public_take) | {"score": "1"}
    for reason in ("", "two\nlines", "x" * 201):
        response = publisher.post(page_of(public_take), sent | {"reason": reason})
        assert set(errors(response)) == {"reason"}, reason
    assert not TakeChange.objects.exists()
    public_take.remove(timezone.now())
    row = written_take(reviewer, score="1")
    sent = row | {"tool": tool.pk, "reviewer": reviewer.pk}
    response = publisher.post("/admin/reviews/take/add/", sent)
    assert "Bring it back" in errors(response)["__all__"][0]
    make.take(on=tool)
    response = post(publisher, tool, **take_fields(reviewer, **row))
    assert "Bring it back" in errors(response)[f"{take_name(reviewer)}-__all__"][0]
    assert Take.objects.filter(reviewer=reviewer).count() == 0
    draft = make.take(published_at=None)
    draft.remove(timezone.now())
    sent |= {"tool": draft.tool_id, "reviewer": draft.reviewer_id}
    assert publisher.post("/admin/reviews/take/add/", sent).status_code == 302


def test_what_readers_have_not_seen_needs_no_reason(publisher, clock):
    now = timezone.now()
    scheduled = make.take(published_at=now)
    clock(now - timedelta(minutes=1))
    hidden = make.take(on=make.tool(published_at=None))
    for take in (make.take(published_at=None), hidden, scheduled):
        sent = opened(publisher, take)
        assert "reason" not in sent
        assert publisher.post(page_of(take), sent | {"score": "1"}).status_code == 302
    assert not TakeChange.objects.exists()
    clock(now + timedelta(minutes=1))
    assert "reason" in opened(publisher, scheduled)


def test_an_old_take_can_be_confirmed(publisher):
    take = make.take(published_at=timezone.now() - timedelta(days=STALE_AFTER_DAYS + 1))
    sent = opened(publisher, take) | {"still_true": "on"}
    assert publisher.post(page_of(take), sent).status_code == 302
    take.refresh_from_db()
    assert not take.is_old(timezone.now())
    assert "Read again today" not in publisher.get(page_of(take)).content.decode()


def test_a_changed_status_and_entry_price_are_on_the_record_and_on_the_page(publisher):
    tool = make.take(on=make.tool(tagline="A tool", status="active", entry="free")).tool
    address = "https://example.org/end"
    typed = {"status": "discontinued", "status_on": "2026-06-18", "entry": "paid"}
    sent = opened(publisher, tool) | typed
    tracked = publisher.post(page_of(tool), sent | {"status_source": f"{address}?ref=x"})
    assert set(errors(tracked)) == {"status_source"}
    without = publisher.post(page_of(tool), sent | {"status_on": ""})
    assert set(errors(without)) == {"status_on", "status_source"}, "an end needs its evidence"
    assert publisher.post(page_of(tool), sent | {"status_source": address}).status_code == 302
    changes = {"Status: Active → No longer maintained since 18 June 2026"}
    changes |= {"Entry price: Free → Paid"}
    record = FactChange.objects.all()
    assert {f"{row.subject}: {row.before} → {row.after}" for row in record} == changes
    shown = " ".join(lines_of(publisher, tool))
    assert [change for change in changes if change not in shown] == []
    assert tool.history.first().status == "discontinued"
    Tool.objects.filter(pk=tool.pk).update(status_on=None, status_source="")
    assert (
        publisher.post(page_of(tool), opened(publisher, tool) | {"maker": "M"}).status_code == 302
    )


def test_no_entry_price_is_chosen_for_a_new_tool(publisher):
    form = on_the_page(publisher.get(ADD)) | {"category": make.category().pk}
    assert form.get("entry", "") == ""
    for name, typed in {"nothing": {}, "paid": PLAN, "freemium": {"entry": "freemium"}}.items():
        response = publisher.post(ADD, form | {"name": name, "slug": name} | typed)
        messages = " ".join(messages_of(response))
        assert ("No pricing" in messages) == (name == "freemium"), name
    found = set(Tool.objects.values_list("name", "entry"))
    assert found == {("freemium", "freemium"), ("paid", "paid")}
    assert "entry" not in on_the_page(publisher.get(page_of(Tool.objects.get(name="paid"))))


@pytest.mark.parametrize(
    ("scores", "minutes", "lines"),
    [
        ((85, 78), 0, ["78 → 85 after less than a minute"]),
        ((85, 78), 61, ["85 → 78", "78 → 85"]),
        ((85, 80), 1, ["85 → 80", "78 → 85"]),
        ((85, 90, 78), 1, ["85 → 90 after 1 minute", "78 → 85 after 2 minutes"]),
        ((85, 78, 90, 78), 1, ["78 → 90 after 1 minute", "78 → 85 after 1 minute"]),
    ],
)
def test_a_score_that_is_undone_within_an_hour_is_one_line(
    client, public_take, clock, scores, minutes, lines
):
    start, tool = timezone.now(), public_take.tool
    for at, score in enumerate(scores):
        edit = TakeEdit(tool.pk, public_take.reviewer_id, {"score": score}, reason="A slip")
        clock(start + timedelta(minutes=minutes * at))
        write_takes([edit], Save(now=timezone.now()))
    told = re.compile(r"^.*?: (\d+ → \d+), .*?, A slip(, corrected)?")
    assert [told.sub(r"\1", line) for line in lines_of(client, tool)] == lines


def test_a_fact_that_is_undone_within_an_hour_is_one_line(clock):
    fact = make.fact("MIT", on=make.take().tool, to=make.attribute(kind="text"))
    start, key = timezone.now(), (fact.tool_id, fact.attribute_id)
    again = {"kind": "text", "applies": True, "text": "MIT"}
    edits = [FactEdit(key, {"text": text}) for text in ("GPL", "BSD", "MIT")]
    edits += [FactEdit(key, None), FactEdit(key, again, is_new=True)]
    at = [start + timedelta(minutes=minutes) for minutes in range(len(edits))]
    for now, edit in zip(at, edits, strict=True):
        write_facts([edit], Save(now=now))
    changes = FactChange.objects.values_list("before", "after", "undone_at")
    assert [*changes] == [("MIT", "", at[4]), ("GPL", "BSD", at[2]), ("MIT", "GPL", at[2])]


# --- Corrections of the record ---------------------------------------------------------------


def test_publishers_correct_a_reason_on_record_while_its_take_is_there(
    publisher, writer, public_take
):
    first = "x" * 200
    assert post(publisher, public_take, score="64", reason=first).status_code == 302
    change, versions = TakeChange.objects.get(), Take.history.count()
    heading = f"<h2>{public_take.reviewer.name} on {public_take.tool.name}</h2>"
    page = publisher.get(page_of(change)).content.decode()
    assert heading in page
    assert "78, ship → 64, ship" in page
    paths = list_of(change), page_of(change)
    assert [writer.get(path).status_code for path in paths] == [403, 403]
    assert publisher.get(f"{list_of(change)}add/").status_code == 403
    assert publisher.post(page_of(change, "delete"), {"post": "yes"}).status_code == 403
    sent = opened(publisher, change)
    for reason in ("", "...", "x" * 201):
        response = publisher.post(page_of(change), sent | {"reason": reason})
        assert set(errors(response)) == {"reason"}, reason
    assert publisher.post(page_of(change), sent).status_code == 302
    assert Take.history.count() == versions, "nothing changed"
    assert post(publisher, change, reason="Slower", score_after="1").status_code == 302
    change.refresh_from_db()
    assert (change.reason, change.score_after) == ("Slower", 64)
    assert Take.history.first().history_user.username == "paula"
    history = read(publisher.get(page_of(public_take.tool, "history")))
    newest = history.of_class("history__entry")[0].text
    assert f"Public reason corrected: “{first}” → “Slower”" in newest
    post(publisher, change, correction="We tested an old version.")
    (line,) = lines_of(publisher, public_take.tool)
    assert line.endswith("Slower; a correction: We tested an old version.")
    assert "We tested an old version." in Take.history.first().history_change_reason
    public_take.remove(timezone.now())
    assert publisher.post(page_of(change), {"reason": "New"}).status_code == 403
    assert publisher.get(page_of(change)).status_code == 200


def test_a_changed_price_is_marked_as_a_correction_by_publishers_alone(publisher, writer):
    change = FactChange.objects.create(
        tool=make.take().tool, subject="Pro", before="$10", after="$20", at=timezone.now()
    )
    assert writer.get(page_of(change)).status_code == 403
    assert writer.post(page_of(change), {"correction": "x"}).status_code == 403
    correction = "We misread the price list."
    assert post(publisher, change, correction=correction, after="$1").status_code == 302
    (line,) = lines_of(publisher, change.tool)
    assert line.endswith(f"; a correction: {correction}")
    change.refresh_from_db()
    assert change.after == "$20"
    assert publisher.post(page_of(change, "delete")).status_code == 403
