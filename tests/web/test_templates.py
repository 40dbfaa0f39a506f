"""Templates: their source, fragments that a process renders once, and days as tags write them."""

from datetime import UTC, date, datetime
from pathlib import Path

from django.template import Context, Engine, Template
from django.utils import timezone

from shipskip.web.fragments import fragment, fragment_for_page
from shipskip.web.templatetags.web import day


def test_html_loses_its_indentation_and_keeps_its_lines_and_a_text_keeps_both(tmp_path: Path):
    written = "<p>\n  one\n\n\t<b>two</b>  three\n</p>\n"
    (tmp_path / "page.html").write_text(written)
    (tmp_path / "mail.txt").write_text(written)
    engine = Engine(dirs=[str(tmp_path)], loaders=["shipskip.web.template_loader.Loader"])
    page = engine.get_template("page.html").source
    assert page == "<p>\none\n\n<b>two</b>  three\n</p>\n"
    assert engine.get_template("mail.txt").source == written


def test_equal_values_give_the_kept_html_and_others_their_own():
    one = fragment("_opening.html", text="One & only.")
    assert "One &amp; only." in one
    assert fragment("_opening.html", text="One & only.") is one
    assert "Two" in fragment("_opening.html", text="Two.")


def test_what_differs_from_page_to_page_is_escaped_and_not_kept():
    pages = ['/tools/?a="1"&b=2', "/tools/"]
    values = {"slug": "alpha", "title": "Alpha"}
    one, other = (
        fragment_for_page("_vote.html", gap="next", text=page, **values) for page in pages
    )
    assert 'name="next" value="/tools/?a=&quot;1&quot;&amp;b=2"' in one
    assert 'name="next" value="/tools/"' in other
    assert one.partition("name=")[0] == other.partition("name=")[0]


def test_a_fragment_in_a_template_sees_nothing_of_the_page():
    page = Template('{% fragment "_newsletter.html" %}')
    assert page.render(Context({"join_title": "Elsewhere"})) == page.render(Context())


def test_a_day_is_written_in_the_current_time_zone():
    third = date(2026, 5, 3)
    assert day(third) == "3 May 2026"
    late = datetime(2026, 5, 3, 23, tzinfo=UTC)
    assert day(late) == day(third)
    with timezone.override("Asia/Tokyo"):
        assert day(late) == day(date(2026, 5, 4))
