"""Whether a quote stands in a page: pure functions."""

import pytest

from tools.page_text import decoded, has_quote, text_url, visible_text

PAGES = [
    ("Context: 128k tokens", "<p>Context: 128k tokens</p>", True),
    ("Context: 128k tokens", "<td>Context:<td>128k&nbsp;to&shy;kens", True),
    ("CONTEXT", "<p>Context</p>", True),
    ("“Fast” – it’s free", '<p>"Fast" - it&#39;s <em>free</em>', True),
    ("A & B", "<p>A &amp; B", True),
    ("A &amp; B", "<p>A &amp; B", True),
    ("a < b", "<p>if a < b then", True),
    ("C# and F#", "<p>C# and F#", True),
    ("first … last", "<p>first, and then some, last", True),
    ("first [...] last", "<p>last, and then some, first", False),
    ("hidden", "<script>hidden</script><style>hidden</style><template>hidden</template>", False),
    ("shown", "<script>if (a<b) '</p>'</SCRIPT>shown", True),
    ("shown", "<!-- a > b <p> -->shown<!-- never closed <p>", True),
    ("never", "<!-- never closed <p>never", False),
    ("title", '<img alt="x" title="title">', False),
    ("128k tokens", "<p>128k", False),
    ("…", "<p>Anything", False),
    ("", "<p>Anything", False),
]


@pytest.mark.parametrize(("quote", "page", "is_there"), PAGES)
def test_words_are_compared_as_a_reader_sees_them(quote, page, is_there):
    assert has_quote(visible_text(page), quote) is is_there


def test_marks_of_markdown_do_not_count_in_a_file():
    text = "## Prices\n| **Pro** | [$20](https://x.example/a_b) per `user` |\n"
    assert has_quote(text, "Pro $20 per user")
    assert has_quote(text, "| **Pro** |")
    assert not has_quote(text, "Pro $25")


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("é – “”".encode(), "iso-8859-1"),
        ("\ufeffé – “”".encode(), ""),
        ("é – “”".encode("windows-1252"), "utf-8"),
        ("é – “”".encode("windows-1252"), "zlib"),
        (b'<meta charset="utf-16">' + "é – “”".encode("windows-1252"), "windows-1252"),
        ("é – “”…".encode()[:-1], "utf-8"),
    ],
)
def test_a_wrong_label_does_not_spoil_a_page(body, charset):
    assert "é – “”" in decoded(body, charset)


HOSTILE = ["<", "<!--", "<script", "<b><div>", "</x>", "&", "&#x", "[](", "](", "\u0300\u0316", "ﷺ"]


@pytest.mark.parametrize("part", HOSTILE)
def test_no_page_takes_longer_than_its_length(part):
    text = visible_text(part * (100_000 // len(part.encode())))
    assert not has_quote(text, "128k tokens … 3")


def test_a_file_on_github_is_read_where_its_text_is():
    page = "https://github.com/a/b/blob/0a1b/docs/x.md?plain=1#L3"
    assert text_url(page) == "https://raw.githubusercontent.com/a/b/0a1b/docs/x.md"
    assert text_url("https://github.com/a/b") == "https://github.com/a/b"
