"""Clients of logged-in editors, and the parts of the desk's first page."""

from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.markup import read


def desk_of(*groups: str, name: str = "", rights: tuple[str, ...] = (), **options: bool) -> Client:
    """A client of a user in these groups, or with only these permissions (`view_tool`)."""
    user_name = name or "-".join([*groups, *rights]).lower() or "nobody"
    user = User.objects.create_user(user_name, is_staff=True)
    user.groups.add(*Group.objects.filter(name__in=groups))
    if rights:
        user.user_permissions.add(*Permission.objects.filter(codename__in=rights))
    client = Client(**options)
    client.force_login(user)
    return client


def queries_of(client: Client, path: str) -> int:
    """The number of queries of a page."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


class Part:
    """A section of the desk's first page, by its heading's id; empty text if absent."""

    def __init__(self, page, name):
        found = page.all("section", aria_labelledby=f"dashboard-{name}")
        self.text = found[0].text if found else ""
        inside = [e for e in page.elements if found and found[0] in e.inside]
        self.lines = [e.text for e in inside if e.name == "li"]
        self.links = {e.text: e.attributes["href"] for e in inside if e.name == "a"}


def part_of(client, name):
    """A section of the desk's first page as it is now."""
    return Part(read(client.get("/admin/")), name)
