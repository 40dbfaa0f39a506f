"""Templates without their indentation."""

from pathlib import Path

from django.template import Engine

LOADERS = ["shipskip.web.template_loader.Loader"]


def test_html_loses_its_indentation_and_keeps_its_lines_and_a_text_keeps_both(tmp_path: Path):
    written = "<p>\n  one\n\n\t<b>two</b>  three\n</p>\n"
    (tmp_path / "page.html").write_text(written)
    (tmp_path / "mail.txt").write_text(written)
    engine = Engine(dirs=[str(tmp_path)], loaders=LOADERS)
    page = engine.get_template("page.html").source
    assert page == "<p>\none\n\n<b>two</b>  three\n</p>\n"
    assert engine.get_template("mail.txt").source == written
