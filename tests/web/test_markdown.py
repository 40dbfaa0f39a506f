"""Editors' Markdown becomes safe HTML, for any input."""

import time

import pytest
from django.core.exceptions import ValidationError

from shipskip.web import markdown
from shipskip.web.markdown import render
from shipskip.web.markdown_limits import markdown_fault
from shipskip.web.text import prose_field
from tests.markup import Document


def test_paragraphs_lists_tables_and_code_are_set():
    html = render("One *two* **three**\n\n- a\n- b\n\n`x < y`\n\n| h |\n|---|\n| c |\n")
    assert "<em>two</em> <strong>three</strong>" in html
    assert "<li>a</li>" in html
    assert "<code>x &lt; y</code>" in html
    assert "<td>c</td>" in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
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
def test_a_list_directly_under_a_sentence_is_a_list(text: str, html: str):
    assert render(text) == html


def test_headings_stand_below_those_of_the_page():
    assert render("# One\n\n## Two\n\n### Three") == "<h3>One</h3>\n<h3>Two</h3>\n<h3>Three</h3>"


@pytest.mark.parametrize("text", ["", " ", "\n\t\n"])
def test_an_empty_value_stays_empty(text: str):
    assert render(text) == ""


def test_links_to_the_web_and_to_our_own_pages_stay():
    for href in (
        "https://example.com/?a=1",
        "http://example.com",
        "/tools/cursor/",
        "mailto:a@b.c",
    ):
        assert f'href="{href}"' in render(f"[text]({href})")


def test_links_have_rel_nofollow():
    assert 'rel="noopener nofollow"' in render("[text](https://example.com)")


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "![x](https://evil.example/x.png)",
    '![x](x "onerror=alert(1))',
    '<p onclick="alert(1)">text</p>',
    '<p style="position:fixed">text</p>',
    "<style>*{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "<object data=x></object><embed src=x>",
    "<svg onload=alert(1)><a xlink:href=javascript:alert(1)>x</a></svg>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<form action=/x><input name=a><button>b</button></form>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/)",
    "[x](/\\evil.example/)",
    "[x](\\\\\\\\evil.example/)",
    '<a href="/&#9;/evil.example/">x</a>',
    '<a href="&#1;//evil.example/">x</a>',
    '<a href="https://ok.example" id="main" class="button" hx-get="/x" target="_blank">x</a>',
    "<base href=//evil.example/><meta http-equiv=refresh content=0><link rel=stylesheet href=x>",
    "<!-- <b> --><![CDATA[<script>]]><?php x ?>",
    "</main></body></html>",
    "`<script>`</code><script>alert(1)</script>",
    "<noscript><p title='</noscript><script>alert(1)</script>'></noscript>",
    "\x02wzxhzdk:0\x03 klzzwxh:0001",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_leaves_allowed_elements_and_attributes_only(text: str):
    for element in Document(render(text)).elements:
        assert element.name in markdown.TAGS
        allowed = markdown.ATTRIBUTES.get(element.name, set()) | {"rel"}
        assert set(element.attributes) <= allowed
        href = element.attributes.get("href", "/")
        assert href.startswith(("https://", "http://", "mailto:", "/"))
        assert "evil.example" not in href


def test_a_removed_link_keeps_its_text():
    for target in ("javascript:alert(1)", "//evil.example", "/\\evil.example"):
        page = Document(render(f"Read [the words]({target}) here"))
        assert page.text == "Read the words here"
        assert "href" not in page.one("a").attributes


def test_raw_html_cannot_close_the_page_s_elements():
    html = render("</div></section></main><div>text")
    assert "div" not in html
    assert "main" not in html
    assert "text" in html


def test_special_characters_are_escaped():
    assert render('a < b & "c"') == '<p>a &lt; b &amp; "c"</p>'


def test_a_text_is_rendered_once_however_often_it_is_shown():
    text = "Shown on many pages, rendered once."
    before = markdown.render.cache_info()
    assert render(text) is render(text)
    after = markdown.render.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 1)


def test_a_changed_text_is_rendered_anew():
    assert render("80 points") != render("81 points")


LONGEST = 20_000
HUGE = {
    "words": "word " * 4000,
    "quotes in quotes": "> " * 10_000,
    "lists in lists": "".join(" " * (4 * n) + "- a\n" for n in range(90)),
    "open brackets": "[" * LONGEST,
    "open links": "[a](" * 5000,
    "open pictures": "![" * 10_000,
    "open link targets": "[a](<" * 4000,
    "stars": "*a **b " * 2800,
    "underscores": "_a" * 10_000,
    "backticks": "`a``b" * 4000,
    "angle brackets": "<" * LONGEST,
    "open elements": "<div>" * 4000,
    "open comments": "<!--" * 5000,
    "a wide table": "|" * 9000 + "\n" + "|-" * 5000 + "\n" + "|a" * 500,
    "line ends": "\n" * LONGEST,
}


HUGE |= {
    "short blocks": "-\n" * 10_000,
    "short blocks with other line ends": "-\r" * 10_000,
    "headings": "#\n" * 10_000,
    "underlined headings": "a\n-\n" * 5000,
    "rules": "---\n" * 5000,
    "lists in one line": "+ " * 10_000,
    "numbered lists in one line": "1. " * 6666,
    "brackets open to the end": "[" * 100 + "a" * 19_900,
    "targets open to the end": "[a](<" * 490 + "b" * 17_000,
    "elements open to the end": ("<a b=" + "y " * 15) * 500,
}
AT_THE_LIMIT = {
    "short blocks": "-\n" * 499,
    "padded blocks": ("-" + " " * 18 + "\n") * 499,
    "underlined headings": ("a" * 37 + "\n-\n") * 249,
    "brackets": "[" * 5 + "a" * 19_990,
    "targets": "[a](" * 5 + "b" * 19_980,
    "elements": "<a b=" * 50 + "y " * 9_800,
    "links": "[a](/b)" * 1_600 + "c" * 8_000,
    "a table": "\n".join(["|".join("a" * 50), "|".join("-" * 50), *["|".join("a" * 50)] * 98]),
    "signs": "*_" * 2_500 + "a" * 15_000,
    "lists in lines": "> - 1. * > a\n" * 499,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_the_longest_text_that_can_be_stored_is_compared_quickly(text: str):
    """Unbounded, the parser takes minutes; with its limits a tenth of a second."""
    start = time.process_time()
    Document(render(text[:LONGEST]))
    assert time.process_time() - start < 10


@pytest.mark.parametrize("text", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_the_worst_text_within_the_limits_is_rendered_quickly(text: str):
    assert len(text) <= LONGEST
    assert markdown_fault(text) == ""
    test_the_longest_text_that_can_be_stored_is_compared_quickly(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-\n" * 10_000, "This text has 10,001 lines; at most 500 can be shown. Shorten it."),
        ("*" * 6_000, "This text has 6,000 signs such as * [ < |; at most 5,000 can be shown."),
        ("[" * 6, "Too many [ are open at the same place. Close or remove some of them."),
        ("[a](" * 6, "Too many ]( are open at the same place."),
        ("- - - - - - a", "A line opens more than 5 lists or quotations."),
    ],
)
def test_too_large_input_is_refused_with_a_sentence(text: str, sentence: str):
    with pytest.raises(ValidationError) as refused:
        prose_field().run_validators(text)
    assert refused.value.messages[0].startswith(sentence)


@pytest.mark.parametrize(
    "text", ["- - - - - - - -", "* * * * * *", "------------", "-----|-----", "**a** *b*", "3 > 2"]
)
def test_a_horizontal_line_is_no_list(text: str):
    assert markdown_fault(text) == ""


def test_an_ordinary_number_of_links_is_no_fault():
    links = " ".join(f"[{n}](/tools/{n}/)" for n in range(300))
    assert len(Document(render(links)).all("a")) == 300


@pytest.mark.parametrize("text", ["1. " * 1500 + "a", "1. - " * 300 + "a", "> " * 3000 + "a"])
def test_lists_too_deep_to_parse_are_shown_as_they_were_written(text):
    assert "a" in render(text)
