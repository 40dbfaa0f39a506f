"""Links to previews of tools."""

from django.utils import timezone

from shipskip.web import preview_tokens
from tests.markup import read


def link(tool, now=None, kind="tool"):
    """A link to the tool's preview, made at `now`."""
    token = preview_tokens.sign(kind, tool.pk, tool.preview_key, now or timezone.now())
    return f"/preview/tools/{token}/"


def assert_has_ended(response):
    """The page says that the preview has ended, and shows none of its content."""
    assert response.status_code == 410
    page = read(response)
    assert page.heading == "This preview has expired"
    assert "Ask the person who sent it for a new one." in page.text
    assert "Secret" not in page.text
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert not response.cookies
