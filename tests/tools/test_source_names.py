"""Names of sources, and addresses without tracking."""

import pytest

from tools.source_names import MAX_LENGTH, source_name, without_tracking

COMMIT = "5dc9490bb35f9729ef2c95d00a19ccd30c26339c"
REPOSITORY = "https://github.com/cline/cline"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"{REPOSITORY}/blob/v3.1/README.md", "README.md in cline/cline at v3.1"),
        (
            f"{REPOSITORY}/blob/{COMMIT}/docs/api%20keys.md#L3",
            "api keys.md in cline/cline at 5dc9490",
        ),
        (
            f"{REPOSITORY}/blob/main/docs/mcp/overview.mdx",
            "mcp/overview.mdx in cline/cline at main",
        ),
        (f"{REPOSITORY}/tree/main/examples", "examples in cline/cline at main"),
        (f"{REPOSITORY}/releases/tag/v3.1", "release v3.1 of cline/cline"),
        (f"{REPOSITORY}/releases/tag/sdk/v3", "release sdk/v3 of cline/cline"),
        (f"{REPOSITORY}/commit/{COMMIT}", "commit 5dc9490 of cline/cline"),
        (f"{REPOSITORY}/commit/main", "github.com/cline/…/commit/main"),
        (f"{REPOSITORY}/releases", "github.com/cline/cline/releases"),
        (f"{REPOSITORY}/blob/v3.1", "github.com/cline/…/blob/v3.1"),
        ("https://gitlab.com/a/-/-/", "gitlab.com/a/-/-"),
        ("https://codeberg.org/a/b/src/", "codeberg.org/a/b/src"),
        ("https://gitlab.com/a/b/-/-/", "gitlab.com/a/…/-/-"),
        (REPOSITORY, "github.com/cline/cline"),
        (
            "https://raw.githubusercontent.com/ggml-org/llama.cpp/refs/tags/b1/README.md",
            "README.md in ggml-org/llama.cpp at b1",
        ),
        ("https://gitlab.com/a/b/-/blob/main/x.py", "x.py in a/b at main"),
        ("https://codeberg.org/a/b/src/tag/v1/x.py", "x.py in a/b at v1"),
        ("https://huggingface.co/a/b/resolve/main/config.json", "config.json in a/b at main"),
        ("https://www.acme.example/", "acme.example"),
        ("https://acme.example/docs/limits/?page=2", "acme.example/docs/limits"),
        ("https://acme.example/docs/en/latest/usage/limits", "acme.example/docs/…/usage/limits"),
        ("https://acme.example:bad/x", "acme.example/x"),
    ],
)
def test_a_source_is_named_after_its_file_or_its_address(url, name):
    assert source_name(url) == name


def test_a_long_name_is_cut():
    assert len(source_name(f"https://acme.example/{'x' * 200}")) == MAX_LENGTH


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://acme.example/?utm_source=x&utm_medium=y", "https://acme.example/"),
        ("https://acme.example/a?ref=letter", "https://acme.example/a"),
        ("https://api.github.com/a/b?ref=v2&gclid=1", "https://api.github.com/a/b?ref=v2"),
        (
            "https://acme.example/a?b=1&GCLID=x&c=%C3%A9+d#e",
            "https://acme.example/a?b=1&c=%C3%A9+d#e",
        ),
        ("https://v0.app/docs?trk=organization_guest", "https://v0.app/docs"),
        ("https://acme.example/a?b=1&c=d e", "https://acme.example/a?b=1&c=d e"),
        ("https://acme.example/a?ref=main", "https://acme.example/a?ref=main"),
    ],
)
def test_an_address_is_cleared_of_tracking_and_otherwise_kept(url, clean):
    assert without_tracking(url) == clean
