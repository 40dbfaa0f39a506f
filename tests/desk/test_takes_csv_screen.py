"""Takes as CSV at the desk: recognised, previewed, loaded when confirmed."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Take, TakeChange
from shipskip.catalogue.files import TAKES
from tests import factories as make
from tests.catalogue.documents import rows
from tests.desk.uploading import URL, confirm, faults, listed, send, waiting
from tests.markup import one_line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]
HEADER = "tool,reviewer,score,verdict,body,published,reason\n"
ROW = "alpha,builder,70,ship,Good.,2026-05-01T09:00:00Z,\n"


@pytest.fixture(autouse=True)
def _take():
    tool, reviewer = make.tool(slug="alpha"), make.reviewer(slug="builder")
    make.take(on=tool, by=reviewer, score=70, verdict="ship", body="Good.")


def test_the_download_is_all_takes_and_comes_back_without_a_change(publisher, writer):
    response = publisher.get(f"{URL}download/takes/")
    content = b"".join(response.streaming_content)
    assert content.decode() == "".join(TAKES.dump())
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"].endswith('.csv"')
    next_page = send(publisher, URL, content, "mine.csv")
    assert "mine.csv would change nothing" in next_page.content.decode()
    assert writer.get(f"{URL}download/takes/").status_code == 403


def test_rows_are_previewed_and_loaded_when_confirmed(publisher):
    before = rows()
    text = HEADER + ROW.replace("70,ship", "60,skip").replace("Z,", "Z,Pricing tripled")
    shown = send(publisher, URL, text, "new.csv")
    assert listed(shown) == {
        "Scores and verdicts that readers could see": [
            "takes: builder on alpha (score: 70 → 60; verdict: “ship” → “skip”)"
        ]
    }
    assert rows() == before
    response = confirm(publisher, shown)
    assert (response.status_code, response["Location"]) == (302, URL)
    assert Take.objects.get().score == 60
    page = Take.history.latest("history_id")
    assert page.history_user == User.objects.get()
    assert page.history_change_reason == f"{TAKES.note}: Pricing tripled"
    assert TakeChange.objects.get().reason == "Pricing tripled"
    assert waiting() == []


def test_one_reason_is_used_for_all_rows_without_a_reason(publisher):
    text = HEADER + ROW.replace("70", "60")
    refused = send(publisher, URL, text)
    assert refused.status_code == 422
    assert faults(refused)[0].startswith("line 2, reason: is missing")
    shown = send(publisher, URL, text, reason="A new panel")
    assert confirm(publisher, shown).status_code == 302
    assert TakeChange.objects.get().reason == "A new panel"


def test_a_refused_file_or_reason_leaves_the_reason_in_its_field(publisher):
    response = send(publisher, URL, HEADER + ROW, reason="two\nlines")
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"reason"}
    response = send(publisher, URL, HEADER + ROW.replace("70", "x"), reason="A new panel")
    assert response.status_code == 422
    assert 'value="A new panel"' in response.content.decode()


def test_changes_of_the_site_before_the_confirmation_are_shown_and_nothing_is_loaded(publisher):
    text = HEADER + ROW.replace("70", "60")
    shown = send(publisher, URL, text, reason="Why")
    Take.objects.update(score=71)
    next_page = confirm(publisher, shown)
    assert next_page.status_code == 409
    assert "score: 71 → 60" in next_page.content.decode()
    assert not TakeChange.objects.exists()
    assert confirm(publisher, next_page).status_code == 302
    assert TakeChange.objects.get().reason == "Why"


def test_takes_are_recognised_whatever_separates_their_columns(publisher):
    for number, separator in enumerate((",", ";", "\t")):
        row = ROW.replace("Good", f"Fine {number}")
        text = "\ufeff" + (HEADER + row).replace(",", separator)
        assert confirm(publisher, send(publisher, URL, text)).status_code == 302
        assert Take.objects.get().body == f"Fine {number}."


BAD_FILES = {
    "empty": (b"", "the file: is empty"),
    "wrong columns": (
        b"tool,reviewer,points\nalpha,builder,3\n",
        'line 1, column 3: "points" is not a column of takes',
    ),
    "not UTF-8": (
        (HEADER + ROW).encode().replace(b"Good", b"G\xf6od"),
        "line 2, character 24: is not UTF-8 (byte 0xf6): save it as “CSV UTF-8”",
    ),
    "a spreadsheet": (b"PK\x03\x04" + b"\0" * 99, "is a spreadsheet, not CSV"),
    "a NUL": ((HEADER + ROW.replace("Good", "G\0d")).encode(), "line 2, body: Remove the char"),
    "a bad score": ((HEADER + ROW.replace("70", "140")).encode(), "line 2, score: 140 is not"),
    "too many rows": (
        (HEADER + "nothing,nobody,80,ship,x,,\n" * 5_001).encode(),
        "the file: has more than 5,000 rows",
    ),
}


def test_a_bad_file_is_refused_with_its_fault_and_the_form_is_still_there(publisher):
    before = rows()
    for name, (content, fault) in BAD_FILES.items():
        response = send(publisher, URL, content, "bad.csv")
        assert response.status_code == 422, name
        assert any(fault in each for each in faults(response)), (name, faults(response))
        page = response.content.decode()
        assert "bad.csv was not loaded" in page
        assert 'type="file"' in page
        assert waiting() == [], name
    assert rows() == before


def test_for_a_large_file_the_page_names_the_command(publisher):
    for megabytes in (5, 20):
        content = (HEADER + ROW).encode() + b"\n" * (megabytes * 1024 * 1024)
        response = send(publisher, URL, content)
        assert response.status_code == 413
        assert "python manage.py load_takes FILE.csv --dry-run" in response.content.decode()
        assert waiting() == []


def test_a_long_list_is_shown_in_the_same_number_of_queries(publisher):
    for at in range(40):
        make.tool(slug=f"t-{at}", in_category=Take.objects.get().tool.category)

    def queries(number):
        lines = [ROW.replace("alpha", f"t-{at}") for at in range(number)]
        with CaptureQueriesContext(connection) as found:
            assert send(publisher, URL, HEADER + "".join(lines)).status_code == 200
        return len(found)

    queries(1)
    assert queries(2) == queries(40)


def test_the_screen_names_the_columns_the_limits_and_the_command(publisher):
    page = one_line(publisher.get(URL).content)
    assert "At most 5 MB, and 5,000 rows of CSV, here" in page
    assert "python manage.py load_takes FILE.csv" in page
    for column in ("score", "verdict", "body", "published", "reason"):
        assert f"<dt>{column}</dt>" in page
