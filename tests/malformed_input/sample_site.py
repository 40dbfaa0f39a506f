"""The site that gets the malformed input, and the secrets of another visitor."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.core.signing import Signer

from tests import addresses
from tests import factories as make
from tests.reviews.voters import NOON, cast
from tools.models import Bookmark, Category


@dataclass(frozen=True)
class Visitor:
    """A browser that voted on one tool and saved it; `slug` is that tool's."""

    id: UUID
    slug: str

    @property
    def cookie(self) -> bytes:
        """The signed cookie that identifies them."""
        return Signer(salt="shipskip.visitor").sign(self.id.hex).encode()


@dataclass(frozen=True)
class SampleSite:
    """The visitor who sends the malformed input, another visitor, and a subscriber's address."""

    mine: Visitor
    theirs: Visitor
    address: str

    @property
    def secrets(self) -> list[str]:
        """What no answer may contain."""
        cookie = self.theirs.cookie.decode()
        return [self.theirs.id.hex, str(self.theirs.id), cookie, self.address, "o" * 32]


def build() -> SampleSite:
    """Content for every address, two visitors, and an unrelated subscriber."""
    addresses.sample_site()
    make.category(slug="quiet", name="Quiet")
    make.category(slug="empty", name="Empty")
    make.reviewer(slug="quiet", name="Quiet", position=9)
    subscriber = make.subscriber(address="somebody.else@example.org", key="o" * 32)
    return SampleSite(_visitor("only-mine"), _visitor("only-theirs"), subscriber.address)


def _visitor(slug: str) -> Visitor:
    one = Visitor(uuid4(), slug)
    row = make.tool(slug=slug, in_category=Category.objects.get(slug="quiet"))
    cast(row, "skip", by=one.id)
    Bookmark.objects.save_tool(row, one.id, NOON)
    return one


QUIET = addresses.PUBLIC | {
    "tools:changes": "/tools/gamma/changes/",
    "tools:category": "/categories/empty/",
    "reviews:reviewer": "/reviewers/quiet/",
}
"""The public addresses, with little content on the pages that are requested often."""
