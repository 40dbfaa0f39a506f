"""The style sheets and the scripts, joined from their sources in order."""

import os

import pytest
from django.contrib.staticfiles import finders

from shipskip.web import assets


@pytest.fixture
def project(settings, tmp_path):
    """A project with style sheets and two scripts."""
    settings.BASE_DIR = tmp_path
    settings.VAR_DIR = tmp_path / "var"
    for name, text in {
        "css/zebra.css": ".zebra { color: var(--z); }",
        "css/ant.css": "/* a remark */ .ant { color: var(--a); }",
        "css/layout.css": ".layout {}",
        "css/tokens.css": ":root { --a: 1; }",
        "css/base.css": "body { margin: 0; }",
        "css/portrait.css": ".portrait {}",
        "css/prose.css": ".prose { margin: 0; }",
        "js/b.js": "const b = 1; // a remark",
        "js/a.js": "const a = 1\n",
        "css/desk/wasp.css": ".wasp {}",
        "css/other_pages/bat.css": ".bat {}",
        "js/desk/c.js": "const c = 1;",
    }.items():
        path = tmp_path / "static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1, 1))
        os.utime(path.parent, (1, 1))
    return tmp_path


def test_values_come_first_then_the_page_then_its_parts_by_name(project):
    names = [path.name for path in assets.sources("site.css")]
    assert names[:3] == ["tokens.css", "base.css", "layout.css"]
    assert names[3:] == ["ant.css", "portrait.css", "prose.css", "zebra.css"]
    css = assets.build("site.css").read_text()
    places = [css.index(word) for word in ("--a:1", "body", ".ant", ".zebra")]
    assert places == sorted(places)


def test_the_desk_uses_the_site_s_styles_only_inside_one_class(project):
    css = assets.build("desk.css").read_text()
    assert css.startswith(":root{--a:1")
    assert "#content .site-styles{*{all:revert}" in css
    assert css.index("all:revert") < css.index("body{margin:0}") < css.index(".prose{")
    assert ".wasp" in css
    assert ".ant" not in css


def test_bundles_are_minified_and_scripts_without_a_final_semicolon_are_separated(project):
    assert "remark" not in assets.build("site.css").read_text()
    assert assets.build("site.js").read_text().split() == ["const", "a=1", "const", "b=1;"]
    names = sorted(path.name for path in (project / "var/bundles").iterdir())
    assert names == ["site.css", "site.js"]


@pytest.mark.parametrize("built", [1, 2])
def test_a_bundle_is_built_again_if_a_source_has_changed(project, built):
    """Also if it was changed at the moment when the bundle was built: clocks of files may tick only
    every ten milliseconds.
    """
    first = assets.build("site.css").stat().st_mtime_ns
    assert assets.build("site.css").stat().st_mtime_ns == first
    os.utime(assets.build("site.css"), (built, built))
    path = project / "static/css/ant.css"
    path.write_text(".bee { color: var(--a); }")
    os.utime(path, (2, 2))
    os.utime(path.parent, (1, 1))
    css = assets.build("site.css").read_text()
    assert ".bee" in css
    assert ".ant" not in css


def test_new_and_deleted_sources_are_seen(project):
    target = assets.build("site.css")
    os.utime(target, (2, 2))
    new = project / "static/css/new.css"
    new.write_text(".new { margin: 0; }")
    os.utime(new, (1, 1))
    assert ".new" in assets.build("site.css").read_text()
    os.utime(target, (3, 3))
    (project / "static/css/ant.css").unlink()
    assert ".ant" not in assets.build("site.css").read_text()


def test_the_finder_finds_bundles_and_nothing_else(project):
    finder = assets.BundleFinder()
    assert finder.find("site.css").endswith("var/bundles/site.css")
    assert len(finder.find("site.js", find_all=True)) == 1
    assert finder.find("css/tokens.css") == []
    assert [name for name, _ in finder.list(None)] == [
        "site.css",
        "other_pages.css",
        "site.js",
        "desk.css",
        "desk.js",
    ]


def test_the_site_s_own_bundles_hold_every_source_and_are_served(client):
    for name in assets.BUNDLES:
        assert finders.find(name)
    css = assets.build("site.css").read_text()
    for path in [*assets.sources("site.css"), *assets.sources("other_pages.css")]:
        assert path.read_text().strip(), f"{path.name} is empty"
    assert css.index("--paper:") < css.index("body")
    response = client.get("/static/site.css")
    assert response.status_code == 200
    assert b"--paper" in b"".join(response.streaming_content)
