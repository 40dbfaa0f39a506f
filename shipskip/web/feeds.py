"""Feeds as Atom and as JSON Feed 1.1, from one list of entries.

Django's syndication framework makes the addresses absolute and writes Atom. Feeds are public views:
the page cache gives them an ETag and answers 304.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.urls import register_converter
from django.urls.converters import StringConverter
from django.utils.feedgenerator import Atom1Feed, SyndicationFeed
from django.utils.safestring import SafeString

MAX_ENTRIES = 30
"""How many entries a feed has at most."""

SITE_NAME = "Ship or Skip"

_BEFORE_ALL = datetime(2026, 1, 1, tzinfo=UTC)
"""When an empty feed was updated: Atom needs a moment, and the bytes must not follow the clock."""


@dataclass(frozen=True)
class Entry:
    """One entry of a feed. `key` identifies it for ever (`take-12`), whatever becomes of `path`."""

    key: str
    path: str
    title: str
    html: SafeString
    published_at: datetime
    updated_at: datetime
    tags: Sequence[str] = ()


@dataclass(frozen=True)
class EntryList:
    """All of a feed: its entries, newest first, and the path of the page that they belong to."""

    title: str
    description: str
    path: str
    entries: Sequence[Entry] = field(default_factory=list)


class _AtomFeed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _BEFORE_ALL


class _JsonFeed(SyndicationFeed):
    """JSON Feed 1.1 (jsonfeed.org/version/1.1)."""

    content_type = "application/feed+json; charset=utf-8"

    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _BEFORE_ALL

    def write(self, outfile: IO[Any], encoding: str) -> None:
        """Write the feed as one JSON object."""
        feed = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.feed["title"],
            "home_page_url": self.feed["link"],
            "feed_url": self.feed["feed_url"],
            "description": self.feed["subtitle"],
            "language": self.feed["language"],
            "authors": [{"name": self.feed["author_name"], "url": self.feed["author_link"]}],
            "items": [_json_item(item) for item in self.items],
        }
        outfile.write(json.dumps(feed, ensure_ascii=False, indent=1).encode(encoding))


def _json_item(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": item["unique_id"],
        "url": item["link"],
        "title": item["title"],
        "content_html": item["description"],
        "date_published": item["pubdate"].isoformat(),
        "date_modified": item["updateddate"].isoformat(),
        "tags": list(item["categories"]),
    }


FORMATS: dict[str, type[SyndicationFeed]] = {"atom": _AtomFeed, "json": _JsonFeed}
"""The formats by the ends of their addresses."""


class _FormatConverter(StringConverter):
    regex = "|".join(FORMATS)


register_converter(_FormatConverter, "feed_format")


class _SiteFeed(Feed):  # type: ignore[type-arg] # Django's class is not generic
    """A list of entries for Django's framework, with addresses of SITE_URL: the bytes of a public
    page do not depend on the requested host.
    """

    language = "en"
    author_name = SITE_NAME

    def __init__(self, feed_type: type[SyndicationFeed]) -> None:
        self.feed_type = feed_type

    def get_object(self, request: HttpRequest, *args: Any, **kwargs: Any) -> EntryList:
        self.feed_url = self.feed_guid = f"{settings.SITE_URL}{request.path}"
        listed: EntryList = kwargs["listed"]
        return listed

    def author_link(self) -> str:
        return f"{settings.SITE_URL}/"

    def title(self, listed: EntryList) -> str:
        return listed.title

    def subtitle(self, listed: EntryList) -> str:
        return listed.description

    def link(self, listed: EntryList) -> str:
        return f"{settings.SITE_URL}{listed.path}"

    def items(self, listed: EntryList) -> Sequence[Entry]:
        return listed.entries[:MAX_ENTRIES]

    def item_title(self, entry: Entry) -> str:
        return entry.title

    def item_description(self, entry: Entry) -> str:
        return entry.html

    def item_link(self, entry: Entry) -> str:
        return f"{settings.SITE_URL}{entry.path}"

    def item_guid(self, entry: Entry) -> str:
        host = settings.SITE_URL.partition("://")[2].partition(":")[0]
        return f"tag:{host},{entry.published_at:%Y-%m-%d}:{entry.key}"

    def item_pubdate(self, entry: Entry) -> datetime:
        return entry.published_at

    def item_updateddate(self, entry: Entry) -> datetime:
        return entry.updated_at

    def item_categories(self, entry: Entry) -> Sequence[str]:
        return entry.tags


def feed_response(request: HttpRequest, listed: EntryList, feed_format: str) -> HttpResponse:
    """The feed of these entries in a format (`atom`, `json`), at the requested address."""
    return _SiteFeed(FORMATS[feed_format])(request, listed=listed)
