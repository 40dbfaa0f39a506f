"""`manage.py check_pages HOST:PORT`: requests up to thirteen pages from a server of this site.

deploy/upgrade calls it for each server of a new release.
"""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from comparisons.models import Comparison
from tools.models import Category, Tool

PATIENCE_SECONDS = 30
PATHS = (
    *("/", "/compare/", "/tools/", "/tools/?sort=score", "/reviewers/"),
    *("/methodology/", "/search/?q=editor", "/newsletter/", "/admin/login/", "/sitemap.xml"),
)


def paths() -> Iterator[str]:
    """The paths of pages that every site has, and of a tool, a category and a comparison."""
    yield from PATHS
    now = timezone.now()
    for model in (Tool, Category, Comparison):
        row = model.objects.published(now).first()
        if row is not None:
            yield row.get_absolute_url()


class Command(BaseCommand):
    """Ask a running server for its pages."""

    help = "Requests up to thirteen pages from the server at HOST:PORT."

    def add_arguments(self, parser: CommandParser) -> None:
        """HOST:PORT."""
        parser.add_argument("server", help="such as 127.0.0.1:8001")

    def handle(self, *, server: str, **options: object) -> None:
        """Request every page; exit status 1 with all that did not come."""
        host = (*settings.ALLOWED_HOSTS, "localhost")[0].lstrip(".*") or "localhost"
        tried = list(paths())
        faults = [fault for path in tried if (fault := _fault(server, host, path))]
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write(f"{len(tried)} pages are there.")


def _fault(server: str, host: str, path: str) -> str | None:
    """A sentence if the page does not come."""
    connection = HTTPConnection(server, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path, headers={"Host": host})
        response = connection.getresponse()
        response.read()
    except (OSError, HTTPException) as error:
        return f"{path}: {error}."
    finally:
        connection.close()
    return None if response.status == 200 else f"{path}: status {response.status}."
