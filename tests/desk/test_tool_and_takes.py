"""Writing a tool and its takes: a form for each reviewer, previews of texts, cautions."""

from decimal import Decimal
from urllib.parse import quote

import pytest

from reviews import cautions
from reviews.models import Take
from shipskip.editing.fields import count_words
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import (
    ADD,
    messages_of,
    on_the_page,
    page_of,
    post,
    take_name,
    tool_form,
    written_take,
)
from tests.markup import one_line, read
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def test_a_form_is_ready_for_each_reviewer_and_an_empty_one_creates_no_take(publisher):
    third, first, second = (make.reviewer(position=number) for number in (3, 1, 2))
    take = make.take(by=second, body="There already.")
    page = publisher.get(page_of(take.tool))
    forms = page.context["inline_admin_formsets"][0].formset.forms
    assert [form.reviewer for form in forms] == [first, second, third]
    assert [form.instance.pk for form in forms] == [None, take.pk, None]
    assert publisher.get(ADD).content.count(b"-verdict_caution") == 3
    form = tool_form(category=take.tool.category_id, takes=[written_take(first)])
    assert publisher.post(ADD, form).status_code == 302
    written = Take.objects.latest("pk")
    assert (Take.objects.count(), written.reviewer) == (2, first)
    for row in (written, written.tool):
        assert row.history.get().history_user.username == "paula"


def test_a_text_is_previewed_for_editors_as_readers_will_see_it(client, publisher):
    url, body = "/admin/markdown/", {"body": "Some *fine* words<script>x</script>"}
    page = publisher.post(f"{url}?field=body", body, headers={"hx-request": "true"}).content
    pieces = (b"<em>fine</em>", b"3 words", b"<script", b"<html")
    assert [piece in page for piece in pieces] == [True, True, False, False]
    assert b"<html" in publisher.post(url, {"field": "takes-1-body"} | body).content, "no scripts"
    own = {"field": "takes-1-body", "takes-1-body": "*So*"}
    assert b"<em>So</em>" in publisher.post(url, own).content
    for sent in ({}, {"field": "\x00"}):
        assert publisher.post(url, sent).status_code == 200, sent
    assert publisher.get(url).status_code == 405
    assert client.post(url, {}).status_code == 302


def test_a_text_that_takes_too_long_to_render_is_refused_by_preview_and_save(publisher):
    form = tool_form(category=make.category().pk)
    for text, sentence in {
        "-\n" * 10_000: "This text has 10,001 lines; at most 500 can be shown. Shorten it.",
        "a" * 20_001: "This text has 20,001 characters; at most 20,000 fit.",
    }.items():
        preview = publisher.post("/admin/markdown/?field=body", {"body": text})
        assert sentence in preview.content.decode()
        assert sentence in publisher.post(ADD, form | {"description": text}).content.decode()
    assert not Tool.objects.exists()


def test_words_are_counted_as_a_reader_would():
    texts = [
        "",
        "one",
        "It's well-known: a [link](https://a.example/b-c) counts.",
        "Été — naïve",
        "---",
    ]
    assert [count_words(text) for text in texts] == [0, 1, 5, 2, 0]


def test_the_panel_s_verdict_and_cautions_are_updated_during_typing(publisher):
    sent = {"takes-TOTAL_FORMS": "8", "takes-INITIAL_FORMS": "0", "pricing": ""}
    for at, score, verdict in ((1, "80", "ship"), (2, "31", "ship"), (3, "20", "skip")):
        sent |= {f"takes-{at}-score": score, f"takes-{at}-verdict": verdict}
    sent |= {"takes-2-body": "Too short.", "takes-4-score": "not yet"}
    page = publisher.post("/admin/tools/tool/panel/", sent, headers={"hx-request": "true"})
    text = one_line(page.content)
    assert "2 ship / 1 skip, 67 % ship, mean score 43.7 of 100" in text
    swapped = 'data-hx-swap-oob="true">'
    assert f'id="id_takes-2-verdict_caution" {swapped}A ship at 31 of 100?' in text
    assert f'id="id_takes-2-body_caution" {swapped}Only 2 of the 40 words' in text
    assert f'id="id_pricing_caution" {swapped}No pricing' in text


def test_the_page_shows_the_panel_and_its_cautions_which_block_no_save(publisher):
    tool = make.tool(pricing="")
    make.take(on=tool, score=90)
    draft = make.take(on=tool, score=95, verdict="skip", body="Short.", published_at=None)
    page = one_line(publisher.get(page_of(tool)).content)
    assert "1 ship / 1 skip, 50 % ship, mean score 92.5 of 100" in page, "drafts included"
    start = f'id="id_{take_name(draft.reviewer_id)}'
    assert f'{start}-verdict_caution">A skip at 95' in page
    assert f'{start}-body_caution">Only 1 of the 40' in page
    assert 'id="id_pricing_caution">No pricing' in page
    row = written_take(make.reviewer(name="Skeptic"), score="95", verdict="skip", body="Short.")
    form = tool_form(category=tool.category_id, takes=[row])
    messages = " ".join(messages_of(publisher.post(ADD, form)))
    assert Take.objects.count() == 3
    for caution in ("Skeptic: A skip at 95 of 100?", "Skeptic: Only 1 of the 40", "No pricing"):
        assert caution in messages
    made = Tool.objects.get(name="Written")
    again = messages_of(
        publisher.post(page_of(made), on_the_page(publisher.get(page_of(made))) | {"maker": "M"})
    )
    assert not any("Skeptic" in each for each in again), "this save touched no take"


def test_a_verdict_against_its_score_and_a_text_below_forty_words_are_cautioned():
    odd = {(49, "ship"), (80, "skip")}
    fine = {(50, "ship"), (79, "skip"), (72, "ship"), (72, "skip"), (None, "ship"), (0, "")}
    assert {case for case in odd | fine if cautions.at_odds(*case)} == odd
    texts = ["word " * 39, "word " * 40, ""]
    assert [bool(cautions.too_short(text)) for text in texts] == [True, False, False]


# --- Where an editor goes on -----------------------------------------------------------------


def test_a_take_opened_from_the_coverage_table_leads_back_to_it(publisher):
    tool = make.tool()
    for back in ("", "what=missing&page=2", "//evil.example/?x=1", "a=b\r\nc"):
        reviewer = make.reviewer()
        sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip"}
        query = f"?tool={tool.pk}&reviewer={reviewer.pk}&back={quote(back)}"
        response = publisher.post(f"/admin/reviews/take/add/{query}", sent)
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/coverage/?"), back
        assert "page=2" in response["Location"] or "page" not in back
    take = Take.objects.latest("pk")
    assert post(publisher, take, _continue="x")["Location"] == page_of(take)


def test_after_a_take_from_the_first_page_the_reviewer_s_next_missing_one_is_offered(publisher):
    tool, other, reviewer = make.tool(), make.tool(name="Next"), make.reviewer(name="Sam")
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip"}
    query = f"?tool={tool.pk}&reviewer={reviewer.pk}&missing=next"
    response = publisher.post(f"/admin/reviews/take/add/{query}", sent)
    link = f"?tool={other.pk}&amp;reviewer={reviewer.pk}&amp;missing=next"
    offer = f'Next missing: <a href="/admin/reviews/take/add/{link}">Sam on Next</a>'
    assert any(offer in message for message in messages_of(response))


# --- Folded parts -----------------------------------------------------------------------------


def folds(response):
    """What the summaries of the folds say, by whether the fold is open."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for summary in read(response).of_class("fold__line"):
        own = [each for each in summary.inside if each.name == "details"][-1]
        found["open" in own.attributes].append(summary.text)
    return found


def finished_tool() -> Tool:
    tool = make.tool(name="Alpha", tagline="A tool", description="It writes *code*. And more.")
    builder = make.reviewer(name="Builder", position=1)
    make.take(on=tool, by=builder, score=84, because="It works.")
    make.plan(on=tool, amount="20")
    make.fact(Decimal(5), on=tool, to=make.attribute(name="Context"))
    return tool


def test_a_finished_tool_is_folded_and_a_new_or_unfinished_one_shows_what_is_missing(
    publisher, snapshot
):
    panel = [make.reviewer(name=name) for name in ("First", "Second")]
    assert folds(publisher.get(ADD)) == snapshot(name="new")
    for reviewer in panel:
        reviewer.remove(make.PUBLISHED)
    tool = finished_tool()
    assert folds(publisher.get(page_of(tool))) == snapshot(name="finished")
    skeptic, founder = make.reviewer(name="Skeptic"), make.reviewer(name="Founder")
    (line,) = folds(publisher.get(page_of(tool)))[True]
    assert line.split()[0] in ("Skeptic", "Founder"), "the next missing take"
    make.take(on=tool, by=founder, published_at=None)
    make.take(on=tool, by=skeptic)
    (line,) = folds(publisher.get(page_of(tool)))[True]
    assert line.startswith("Founder Draft")


def test_a_fold_with_a_fault_or_a_conflict_is_open(publisher):
    tool = finished_tool()
    url = page_of(tool)
    sent = on_the_page(publisher.get(url))
    assert folds(publisher.post(url, sent | {"tagline": ""}))[True] == []
    faults = {
        "website": ("no address", "What it is"),
        "status": ("discontinued", "Whether it is maintained"),
        "takes-0-score": ("140", "Builder"),
        "facts-0-answer": ("many", "Facts"),
        "plans-0-amount": ("x", "Plans"),
    }
    assert faults.keys() <= sent.keys()
    wrong = {name: value for name, (value, _) in faults.items()}
    opened = folds(publisher.post(url, sent | wrong))[True]
    titles = {title for _, title in faults.values()}
    assert {next(t for t in titles if line.startswith(t)) for line in opened} == titles
    assert len(opened) == len(faults)
    body = f"{take_name(tool.takes.get().reviewer_id)}-body"
    other = desk_of("Publishers", name="otto")
    other.post(url, on_the_page(other.get(url)) | {body: "Theirs."})
    (line,) = folds(publisher.post(url, sent | {body: "Mine."}))[True]
    assert line.startswith("Builder")
