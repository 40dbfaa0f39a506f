"""Whether a quote stands in a page, the names of sources, and addresses without tracking."""

import pytest

from tools.page_text import decoded, has_quote, text_url, visible_text
from tools.source_names import MAX_LENGTH, source_name, without_tracking

PAGES = [
    ("Context: 128k tokens", "<p>Context: 128k tokens</p>", True),
    ("Context: 128k tokens", "<td>Context:<td>128k&nbsp;to&shy;kens", True),
    ("“fast” – it’s free", '<p>"Fast" - it&#39;s <em>free</em>', True),
    ("A &amp; B", "<p>A &amp; B", True),
    ("a < b", "<p>if a < b then", True),
    ("first … last", "<p>first, and then some, last", True),
    ("first [...] last", "<p>last, and then some, first", False),
    ("hidden", "<script>hidden</script><style>hidden</style><template>hidden</template>", False),
    ("shown", "<script>if (a<b) '</p>'</SCRIPT>shown", True),
    ("shown", "<!-- a > b <p> -->shown<!-- never closed <p>", True),
    ("never", "<!-- never closed <p>never", False),
    ("title", '<img alt="x" title="title">', False),
    ("…", "<p>Anything", False),
]


@pytest.mark.parametrize(("quote", "page", "is_there"), PAGES)
def test_words_are_compared_as_a_reader_sees_them(quote, page, is_there):
    assert has_quote(visible_text(page), quote) is is_there


def test_a_file_is_read_where_its_text_is_without_the_marks_of_markdown():
    page = "https://github.com/a/b/blob/0a1b/docs/x.md?plain=1#L3"
    assert text_url(page) == "https://raw.githubusercontent.com/a/b/0a1b/docs/x.md"
    assert text_url("https://github.com/a/b") == "https://github.com/a/b"
    text = "## Prices\n| **Pro** | [$20](https://x.example/a_b) per `user` |\n"
    assert has_quote(text, "Pro $20 per user")
    assert has_quote(text, "| **Pro** |")
    assert not has_quote(text, "Pro $25")


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("é – “”".encode(), "iso-8859-1"),
        ("é – “”".encode("windows-1252"), "utf-8"),
        (b'<meta charset="utf-16">' + "é – “”".encode("windows-1252"), "windows-1252"),
        ("é – “”…".encode()[:-1], "utf-8"),
    ],
)
def test_a_wrong_label_does_not_spoil_a_page(body, charset):
    assert "é – “”" in decoded(body, charset)


COMMIT = "5dc9490bb35f9729ef2c95d00a19ccd30c26339c"
REPOSITORY = "https://github.com/cline/cline"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"{REPOSITORY}/blob/v3.1.0-rc/README.md", "README.md in cline/cline at v3.1.0-rc"),
        (f"{REPOSITORY}/blob/{COMMIT}/api%20keys.md#L3", "api keys.md in cline/cline at 5dc9490"),
        (f"{REPOSITORY}/blob/main/mcp/overview.mdx", "mcp/overview.mdx in cline/cline at main"),
        (f"{REPOSITORY}/releases/tag/sdk/v3", "release sdk/v3 of cline/cline"),
        (f"{REPOSITORY}/commit/{COMMIT}", "commit 5dc9490 of cline/cline"),
        (f"{REPOSITORY}/commit/main", "github.com/cline/…/commit/main"),
        ("https://gitlab.com/a/-/-/", "gitlab.com/a/-/-"),
        ("https://raw.githubusercontent.com/a/b.cpp/refs/tags/b1/x.md", "x.md in a/b.cpp at b1"),
        ("https://gitlab.com/a/b/-/blob/main/x.py", "x.py in a/b at main"),
        ("https://codeberg.org/a/b/src/tag/v1/x.py", "x.py in a/b at v1"),
        ("https://huggingface.co/a/b/resolve/main/config.json", "config.json in a/b at main"),
        ("https://www.acme.example/", "acme.example"),
        ("https://acme.example/docs/limits/?page=2", "acme.example/docs/limits"),
        ("https://acme.example/a/b/blob/v1/x.md", "acme.example/a/…/v1/x.md"),
        ("https://acme.example:bad/x", "acme.example/x"),
    ],
)
def test_a_source_is_named_after_its_file_or_its_address(url, name):
    assert source_name(url) == name
    assert len(source_name(f"https://acme.example/{'x' * 200}")) == MAX_LENGTH


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://acme.example/?utm_source=x&utm_medium=y", "https://acme.example/"),
        ("https://acme.example/a?ref=letter", "https://acme.example/a"),
        ("https://api.github.com/a/b?ref=v2&gclid=1", "https://api.github.com/a/b?ref=v2"),
        (
            "https://acme.example/a?b=&GCLID=x&c=%C3%A9+d#e",
            "https://acme.example/a?b=&c=%C3%A9+d#e",
        ),
        ("https://acme.example/a?b=1&c=d e", "https://acme.example/a?b=1&c=d e"),
        ("https://acme.example/a?ref=main", "https://acme.example/a?ref=main"),
    ],
)
def test_an_address_is_cleared_of_tracking_and_otherwise_kept(url, clean):
    assert without_tracking(url) == clean
