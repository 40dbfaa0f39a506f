"""Links of a page that carry a part of its query."""

import pytest

from shipskip.web.carried_query import carried

PAIRS = [("weigh-a", "3"), ("weigh-b", "0")]
QUERY = "weigh-a=3&amp;weigh-b=0"
HIDDEN = (
    '<input type="hidden" name="weigh-a" value="3"><input type="hidden" name="weigh-b" value="0">'
)
SEARCHES = '<form class="f" action="/tools/" method="get" role="search">'
BACK = '<input type="hidden" name="next" value="/tools/one/{}">'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="/tools/">', f'<a href="/tools/?{QUERY}">'),
        ('<a rel="x" href="/tools/one/#takes">', f'<a rel="x" href="/tools/one/?{QUERY}#takes">'),
        ('<a href="/tools/?a=1&amp;b=#x">', f'<a href="/tools/?a=1&amp;b=&amp;{QUERY}#x">'),
        ('<a href="?page=2">', f'<a href="?page=2&amp;{QUERY}">'),
        ('<a href=".">', f'<a href="?{QUERY}">'),
        (SEARCHES, SEARCHES + HIDDEN),
        (BACK.format(""), BACK.format(f"?{QUERY}")),
    ],
)
def test_links_to_known_pages_and_within_the_page_keep_the_query(html, expected):
    assert carried(html, PAIRS, ["/tools/"]) == expected


@pytest.mark.parametrize(
    "html",
    [
        *('<a href="#takes">', '<a href="/about/">', '<a href="/tools/one/changes/">'),
        *('<a href="https://else.example/tools/">', '<a href="//tools/">'),
        '<a href="/tools/" data-carries-nothing>',
        '<a class="x" data-href="/tools/" href="/about/">',
        '<form action="/tools/one/vote/" method="post">',
        '<form action="/tools/" method="post">',
        '<form action="/tools/" method="get" data-carries-nothing>',
        "<p>&lt;a href=&quot;/tools/&quot;&gt;</p>",
    ],
)
def test_nothing_else_changes(html):
    assert carried(html, PAIRS, ["/tools/"]) == html


def test_without_pairs_a_page_stays_as_it_is():
    assert carried('<a href="/tools/">', [], ["/tools/"]) == '<a href="/tools/">'
