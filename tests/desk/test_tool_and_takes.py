"""Writing a tool and its takes: a form for each reviewer, previews of texts, cautions."""

from urllib.parse import quote

import pytest

from reviews import cautions
from reviews.models import Take
from shipskip.editing.fields import count_words
from tests import factories as make
from tests.desk.forms import ADD, on_the_page, page_of, take_name, tool_form, written_take
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def takes_on(response):
    return response.context["inline_admin_formsets"][0].formset.forms


def test_a_form_is_ready_for_each_reviewer_in_panel_order(publisher):
    third, first, second = (make.reviewer(position=number) for number in (3, 1, 2))
    tool = make.tool()
    make.take(on=tool, by=second, body="There already.")
    forms = takes_on(publisher.get(page_of(tool)))
    assert [form.reviewer for form in forms] == [first, second, third]
    assert [bool(form.instance.pk) for form in forms] == [False, True, False]


def test_a_new_tool_has_a_form_for_every_reviewer_too(publisher):
    make.reviewer(), make.reviewer()
    assert len(takes_on(publisher.get(ADD))) == 2


@pytest.mark.parametrize("takes", [1, 9])
def test_the_queries_of_the_screen_do_not_depend_on_the_number_of_takes(
    takes, publisher, django_assert_max_num_queries
):
    tool = make.tool()
    make.panel(on=tool, ship=takes)
    publisher.get(page_of(tool))
    with django_assert_max_num_queries(20):
        publisher.get(page_of(tool))


def test_an_empty_form_creates_no_take(publisher):
    one, _two = make.reviewer(), make.reviewer()
    form = tool_form(category=make.category().pk, takes=[written_take(one)])
    assert publisher.post(ADD, form).status_code == 302
    assert Take.objects.get().reviewer == one


def test_a_save_is_in_the_history_under_its_editor_s_name(publisher):
    form = tool_form(category=make.category().pk, takes=[written_take(make.reviewer())])
    publisher.post(ADD, form)
    assert Tool.history.get().history_user.username == "paula"
    assert Take.history.get().history_user.username == "paula"


# --- The preview of a text -------------------------------------------------------------------


def test_a_text_is_previewed_as_readers_will_see_it_with_its_length(publisher):
    sent = {"body": "Some *fine* words<script>x</script>"}
    fragment = publisher.post("/admin/markdown/?field=body", sent, headers={"hx-request": "true"})
    page = fragment.content.decode()
    assert "<em>fine</em>" in page
    assert "<script" not in page
    assert "3 words" in page
    assert "<html" not in page


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-\n" * 10_000, "This text has 10,001 lines; at most 500 can be shown. Shorten it."),
        ("a" * 20_001, "This text has 20,001 characters; at most 20,000 fit."),
    ],
)
def test_a_text_that_takes_too_long_to_render_is_refused_by_preview_and_save(
    publisher, text, sentence
):
    assert (
        sentence in publisher.post("/admin/markdown/?field=body", {"body": text}).content.decode()
    )
    form = tool_form(category=make.category().pk, description=text)
    assert sentence in publisher.post(ADD, form).content.decode()
    assert not Tool.objects.exists()


def test_without_scripts_the_preview_is_a_page_of_its_own(publisher):
    response = publisher.post("/admin/markdown/", {"field": "takes-1-body", "takes-1-body": "*So*"})
    page = response.content.decode()
    assert "<html" in page
    assert "<em>So</em>" in page


@pytest.mark.parametrize("sent", [{}, {"field": ""}, {"field": "nothing"}, {"field": "\x00"}])
def test_a_preview_of_nothing_is_empty_and_no_error(publisher, sent):
    assert publisher.post("/admin/markdown/", sent).status_code == 200


def test_the_preview_is_for_editors_and_accepts_post_alone(client, publisher):
    assert client.post("/admin/markdown/", {}).status_code == 302
    assert publisher.get("/admin/markdown/").status_code == 405


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("one", 1),
        ("It's well-known: a [link](https://a.example/b-c) counts.", 5),
        ("Été — naïve", 2),
        ("---", 0),
    ],
)
def test_words_are_counted_as_a_reader_would(text, number):
    assert count_words(text) == number


# --- The panel's verdict during writing ------------------------------------------------------


def test_the_panel_s_verdict_is_updated_during_typing(publisher):
    sent = {
        "takes-TOTAL_FORMS": "5",
        "takes-INITIAL_FORMS": "0",
        "takes-1-score": "80",
        "takes-1-verdict": "ship",
        "takes-2-score": "71",
        "takes-2-verdict": "ship",
        "takes-3-score": "20",
        "takes-3-verdict": "skip",
        "takes-4-score": "not yet",
    }
    page = publisher.post("/admin/tools/tool/panel/", sent, headers={"hx-request": "true"})
    words = " ".join(page.content.decode().split())
    assert "2 ship / 1 skip, 67 % ship, mean score 57.0 of 100" in words


def test_cautions_are_updated_during_typing(publisher):
    sent = {
        "takes-TOTAL_FORMS": "8",
        "takes-INITIAL_FORMS": "0",
        "takes-7-score": "31",
        "takes-7-verdict": "ship",
        "takes-7-body": "Too short.",
        "pricing": "",
    }
    page = publisher.post("/admin/tools/tool/panel/", sent, headers={"hx-request": "true"})
    text = page.content.decode()
    assert 'id="id_takes-7-verdict_caution" data-hx-swap-oob="true">A ship at 31 of 100?' in text
    assert 'id="id_takes-7-body_caution" data-hx-swap-oob="true">Only 2 of the 40 words' in text
    assert 'id="id_pricing_caution" data-hx-swap-oob="true">No pricing' in text


def test_the_page_shows_the_panel_as_it_is_written_drafts_included(publisher):
    tool = make.tool()
    make.take(on=tool, score=90)
    make.take(on=tool, score=10, verdict="skip", published_at=None)
    page = " ".join(publisher.get(page_of(tool)).content.decode().split())
    assert "1 ship / 1 skip, 50 % ship, mean score 50.0 of 100" in page


@pytest.mark.parametrize(
    ("score", "verdict", "odd"),
    [
        (49, "ship", True),
        (50, "ship", False),
        (79, "skip", False),
        (80, "skip", True),
        (72, "ship", False),
        (72, "skip", False),
        (None, "ship", False),
        (0, "", False),
    ],
)
def test_a_score_may_contradict_its_verdict(score, verdict, odd):
    assert bool(cautions.at_odds(score, verdict)) is odd


def test_a_take_of_forty_words_is_long_enough():
    assert cautions.too_short("word " * 39)
    assert not cautions.too_short("word " * 40)
    assert not cautions.too_short("")


def test_cautions_do_not_block_a_save_and_are_shown_after_it(publisher):
    row = written_take(make.reviewer(name="Skeptic"), score="95", verdict="skip", body="Short.")
    form = tool_form(category=make.category().pk, takes=[row])
    page = publisher.post(ADD, form, follow=True).content.decode()
    assert Take.objects.count() == 1
    assert "Skeptic: A skip at 95 of 100?" in page
    assert "Skeptic: Only 1 of the 40 words" in page
    assert "No pricing" in page


def test_cautions_are_shown_beside_their_fields_when_the_page_is_opened(publisher):
    tool = make.tool(pricing="")
    take = make.take(on=tool, score=95, verdict="skip", body="Short.")
    page = publisher.get(page_of(tool)).content.decode()
    start = f'id="id_{take_name(take.reviewer_id)}'
    assert f'{start}-verdict_caution">A skip at 95' in page
    assert f'{start}-body_caution">Only 1 of the 40' in page
    assert 'id="id_pricing_caution">No pricing' in page


def test_after_a_save_the_editor_continues(publisher):
    tool = make.take(on=make.tool(tagline="A tool")).tool
    sent = on_the_page(publisher.get(page_of(tool)))
    response = publisher.post(page_of(tool), sent | {"_continue": "x"})
    assert response["Location"] == page_of(tool)


@pytest.mark.parametrize("back", ["", "what=missing&page=2", "//evil.example/?x=1", "a=b\r\nc"])
def test_a_take_opened_from_the_coverage_table_leads_back_to_it(publisher, back):
    tool, reviewer = make.tool(), make.reviewer()
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip"}
    query = f"?tool={tool.pk}&reviewer={reviewer.pk}&back={quote(back)}"
    response = publisher.post(f"/admin/reviews/take/add/{query}", sent)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/coverage/?")
    assert "page=2" in response["Location"] or "page" not in back


def test_after_a_take_from_the_first_page_the_reviewer_s_next_missing_one_is_offered(publisher):
    tool, other, reviewer = make.tool(), make.tool(name="Next"), make.reviewer(name="Sam")
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip"}
    query = f"?tool={tool.pk}&reviewer={reviewer.pk}&missing=next"
    page = publisher.post(f"/admin/reviews/take/add/{query}", sent, follow=True).content.decode()
    link = f"?tool={other.pk}&amp;reviewer={reviewer.pk}&amp;missing=next"
    assert f'Next missing: <a href="/admin/reviews/take/add/{link}">Sam on Next</a>' in page
