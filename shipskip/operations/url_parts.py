"""The parts of the URLs that settings hold."""

from urllib.parse import SplitResult, urlsplit


def url_parts(text: str) -> SplitResult:
    """The parts of a URL with a possible port."""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - raises ValueError
    except ValueError:
        raise ValueError(
            "its host or port cannot be read; in a password write / ? # @ : in percent-encoding"
        ) from None
    return parts
