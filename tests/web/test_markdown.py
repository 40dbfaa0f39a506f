"""Editors' Markdown becomes safe HTML, for any input."""

import pytest
from django.core.exceptions import ValidationError

from shipskip.web import markdown
from shipskip.web.markdown import render
from shipskip.web.markdown_limits import markdown_fault
from shipskip.web.text import prose_field
from tests.markup import Document


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("\n\t \n", ""),
        ("One *two* **three**", "<p>One <em>two</em> <strong>three</strong></p>"),
        ("`x < y`", "<p><code>x &lt; y</code></p>"),
        ('a < b & "c"', '<p>a &lt; b &amp; "c"</p>'),
        ("# One\n\n## Two\n\n### Three", "<h3>One</h3>\n<h3>Two</h3>\n<h3>Three</h3>"),
        (
            "It runs:\n- here\n- there",
            "<p>It runs:</p>\n<ul>\n<li>here</li>\n<li>there</li>\n</ul>",
        ),
        ("Then:\n1. one\n2. two", "<p>Then:</p>\n<ol>\n<li>one</li>\n<li>two</li>\n</ol>"),
        ("- a\nand more\n- b", "<ul>\n<li>a\nand more</li>\n<li>b</li>\n</ul>"),
        ("In\n2026. it was\n-5 degrees", "<p>In\n2026. it was\n-5 degrees</p>"),
        ("So:\n```\na:\n- b\n```", "<p>So:</p>\n<pre><code>a:\n- b\n</code></pre>"),
    ],
)
def test_headings_are_those_below_the_page_s_and_a_list_may_follow_a_sentence(text: str, html: str):
    assert render(text) == html


def test_a_table_is_set_and_a_text_is_rendered_once_however_often_it_is_shown():
    table = render("| h |\n|---|\n| c |\n")
    assert "<td>c</td>" in table
    assert render("| h |\n|---|\n| c |\n") is table


@pytest.mark.parametrize(
    "href", ["https://example.com/?a=1", "http://example.com", "/tools/cursor/", "mailto:a@b.c"]
)
def test_links_to_the_web_and_to_our_own_pages_stay_with_rel_nofollow(href: str):
    link = Document(render(f"[text]({href})")).one("a")
    assert link.attributes == {"href": href, "rel": "noopener nofollow"}


HOSTILE = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "![x](https://evil.example/x.png)",
    '![x](x "onerror=alert(1))',
    '<p style="position:fixed">text</p>',
    "<style>*{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "<svg onload=alert(1)><a xlink:href=javascript:alert(1)>x</a></svg>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](//evil.example/)",
    "[x](/\\evil.example/)",
    "[x](\\\\\\\\evil.example/)",
    '<a href="/&#9;/evil.example/">x</a>',
    '<a href="https://ok.example" id="main" class="button" hx-get="/x" target="_blank">x</a>',
    "<base href=//evil.example/><meta http-equiv=refresh content=0><link rel=stylesheet href=x>",
    "<!-- <b> --><![CDATA[<script>]]><?php x ?>",
    "`<script>`</code><script>alert(1)</script>",
    "<noscript><p title='</noscript><script>alert(1)</script>'></noscript>",
    "\x02wzxhzdk:0\x03 klzzwxh:0001",
]


def test_hostile_markdown_leaves_allowed_elements_and_attributes_only():
    for text in HOSTILE:
        for element in Document(render(text)).elements:
            assert element.name in markdown.TAGS, text
            allowed = markdown.ATTRIBUTES.get(element.name, set()) | {"rel"}
            assert set(element.attributes) <= allowed, text
            href = element.attributes.get("href", "/")
            assert href.startswith(("https://", "http://", "mailto:", "/")), text
            assert "evil.example" not in href, text


def test_a_removed_link_keeps_its_text_and_html_that_closes_the_page_s_elements_its_own():
    for target in ("javascript:alert(1)", "//evil.example", "/\\evil.example"):
        page = Document(render(f"Read [the words]({target}) here"))
        assert page.text == "Read the words here"
        assert "href" not in page.one("a").attributes
    html = render("</div></section></main><div>text")
    assert "text" in html
    assert "div" not in html
    assert "main" not in html


LIMITS = {
    "lines": ("-\n" * 499, "-\n" * 500, "This text has 501 lines; at most 500"),
    "other line ends": ("-\r" * 499, "-\r" * 500, "This text has 501 lines"),
    "signs": ("*_" * 2_500, "*_" * 2_500 + "|", "This text has 5,001 signs such as * [ < |"),
    "brackets": ("[" * 5 + "a" * 90, "[" * 6 + "a" * 90, "Too many [ are open"),
    "targets": ("[a](" * 5 + "b" * 80, "[a](" * 6, "Too many ]( are open"),
    "elements": ("<a b=" * 50 + "y " * 100, "<a b=" * 51, "Too many < are open"),
    "lists": ("- - - - - a", "- - - - - - a", "A line opens more than 5 lists"),
    "numbered lists": ("1. " * 5 + "a", "1. " * 6 + "a", "A line opens more than 5 lists"),
    "quotations": ("> " * 5 + "a", "> " * 6 + "a", "A line opens more than 5 lists"),
}
"""The worst text within each limit, the first beyond it, and how the refusal begins."""
# Horizontal lines are no lists.
RULERS = ["- - - - - - - -", "* * * * * *", "------------", "-----|-----", "**a** *b*", "3 > 2"]
WITHIN = [
    "".join(" " * (4 * n) + "- a\n" for n in range(90)),
    "\n".join(["|".join("a" * 9), "|".join("-" * 9), *["|".join("a" * 9)] * 9]),
    *RULERS,
    " ".join(f"[{n}](/tools/{n}/)" for n in range(300)),
]


@pytest.mark.parametrize(("worst", "beyond", "sentence"), LIMITS.values(), ids=LIMITS)
def test_a_text_beyond_a_limit_is_refused_and_shown_as_written(
    worst: str, beyond: str, sentence: str
):
    assert markdown_fault(worst) == ""
    assert Document(render(worst)).text
    with pytest.raises(ValidationError) as refused:
        prose_field().run_validators(beyond)
    assert refused.value.messages[0].startswith(sentence)
    page = Document(render(beyond))
    assert {element.name for element in page.elements} <= {"p", "br"}
    assert "".join(page.text.split()) == "".join(beyond.split())


def test_a_text_within_the_limits_is_rendered():
    for text in WITHIN:
        assert markdown_fault(text) == "", text[:40]
        assert Document(render(text)).elements, text[:40]
    assert len(Document(render(WITHIN[-1])).all("a")) == 300
