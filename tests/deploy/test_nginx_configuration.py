"""nginx's configuration without servers: its maps, and the pages that it answers itself."""

import json
import re
from urllib.parse import urlencode

import pytest
from django.test import Client

from shipskip.operations.management.commands.prepare import NGINX_PAGES, write_nginx_pages
from shipskip.web.cache_control import public_view
from shipskip.web.problems import is_for_programs
from shipskip.web.twins import MARKDOWN, PREFERS_MARKDOWN
from tests import addresses
from tests.source_files import ROOT

CONF = (ROOT / "deploy/nginx/site.conf").read_text()
PAGES = (ROOT / "deploy/nginx/pages.conf").read_text()


def mapped(name: str, value: str) -> str:
    """The result of a map of the configuration for a value, with nginx's regular expressions."""
    body = re.search(rf"^map \S+ \$shipskip_{name} {{(.*?)\n}}", CONF, re.S | re.M)
    assert body
    found = ""
    named = re.sub(r"\(\?<(?=\w)", "(?P<", body[1])
    for pattern, result in re.findall(r"^\s+(\S+)\s+(\S+);", named, re.M):
        pattern, result = pattern.strip('"'), result.strip('"')
        if pattern == "default":
            found = found or result
        elif pattern == value or (pattern[:1] == "~" and re.search(pattern.lstrip("~*"), value)):
            return str(result)
    return found


def test_the_map_matches_the_public_pages_and_no_others():
    for name, path in addresses.PUBLIC.items():
        missing = f"{path}: add it to $shipskip_public of site.conf"
        assert mapped("public", path) == "1" or name == "security", missing
    for path in addresses.FILES.values():
        assert mapped("public", path) == "1", path
    for path in addresses.PRIVATE.values():
        assert mapped("public", path) in ("0", ""), path


def test_the_map_matches_the_filters_that_the_pages_read():
    """As forms and links send them: all together, including empty ones."""
    values = {"q": "", "sort": "newest", "category": "agents", "entry": "free"}
    values |= {"verdict": "none", "page": "2", "p": "2"}
    for name, row in addresses.patterns():
        view = public_view(row.callback)
        for keys in [view.keys, *((key,) for key in view.keys)] if view else []:
            pairs = [(key, value) for key, value in values.items() if key in keys]
            if pairs and name != "comparisons:suggest":
                found = mapped("query", f"{addresses.PUBLIC[name]}?{urlencode(pairs)}")
                missing = f"{name} reads {keys}: add them to $shipskip_query of site.conf"
                assert found not in ("", "-") or keys in (("q",), ("q", "literal")), missing


ODD_SPELLINGS = """
/?page=2 /tools/alpha/?p=2 /tools/?page=0 /tools/?page=1000 /tools/?page=2&page=2
/tools/?entry=free&sort=name /tools/?entry=gratis /tools/?entry=free&entry=paid /tools/?category=A
/compare/a-vs-b/?weigh-pm=0 /tools/?page=2&weigh=own /tools/a/?weigh-pm=3
/sitemap-tools.xml?p=x1 /newsletter/?page=2& /categories/agents/?category=agents
"""


def test_markdown_is_for_those_to_whom_the_site_gives_it():
    assert f'"~*{PREFERS_MARKDOWN.pattern}"  {MARKDOWN};' in CONF


def test_errors_of_the_same_addresses_are_json_as_the_site_s():
    paths = [*addresses.PUBLIC.values(), *addresses.PRIVATE.values(), *addresses.FILES.values()]
    kinds = {path: mapped("error_type", path.partition("?")[0]) for path in paths}
    assert kinds == {
        path: "json" if is_for_programs(path.partition("?")[0]) else "html" for path in paths
    }
    for name, path in (addresses.FOR_PROGRAMS | addresses.FILES).items():
        text = path.endswith((".txt", ".svg", "/embed/"))  # what people see on other sites
        assert (kinds[path] == "json") is not text, name


def test_another_spelling_of_an_address_is_not_cached():
    for address in ODD_SPELLINGS.split():
        assert mapped("query", address) == "-", address


def test_the_longest_comparison_is_cached():
    names = [f"{number}{'x' * 99}" for number in range(10)]
    assert mapped("public", f"/compare/{'-vs-'.join(names)}/") == "1"


@pytest.mark.django_db
def test_pages_of_nginx_have_the_headers_of_the_site_s_error_pages():
    location = PAGES.partition("location ~ ^/(?:away")[2].partition("\n}")[0]
    ours = dict(re.findall(r"add_header (\S+) (\S+|\".*?\") always;", location))
    theirs = Client().get("/unknown/").headers
    for name in set(theirs) - {"Content-Type", "Content-Length", "Vary", "X-Request-ID"}:
        if name != "Content-Security-Policy":  # the page needs less
            assert ours[name].strip('"') == theirs[name], name
    assert "default-src 'none'" in ours["Content-Security-Policy"]


@pytest.mark.django_db
def test_each_page_that_nginx_shows_exists(tmp_path):
    named = set(re.findall(r"error_page [\d ]+(?:=\d+ )?/(\w+)\.\$shipskip_error_type;", PAGES))
    assert named == set(NGINX_PAGES)
    write_nginx_pages(tmp_path)
    for name in named:
        problem = json.loads((tmp_path / f"{name}.json").read_text())
        assert problem["status"] == NGINX_PAGES[name]
        page = (tmp_path / f"{name}.html").read_text()
        assert "<h1>" in page
        assert "<script" not in page
