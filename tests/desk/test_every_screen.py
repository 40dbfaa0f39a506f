"""Every screen of the desk opens, or is refused, for each role and each kind of row."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from shipskip.search.models import Synonym
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tools.fact_values import AttributeKind
from tools.models import Family

pytestmark = pytest.mark.django_db


ANSWERS = (200, 302, 303, 403, 405, 409)
ROLES = {"nobody": 403, "Writers": 200, "Publishers": 200, "administrator": 200}
"""The roles, and what the list of tools answers to each."""
OF_EVERY_ROW = ("change", "preview")
"""The screens that are opened for every row; all others for the first one of its kind."""


def _make_rows() -> None:
    """A row of each kind; of those with a publication time one of each state."""
    now = timezone.now()
    kind, family = make.category(), Family.objects.create(slug="drafts", name="Drafts")
    tools = [make.tool(in_category=kind) for _ in range(2)]
    draft = make.tool(in_category=kind, published_at=None, family=family)
    make.tool(in_category=kind, published_at=now + timedelta(days=1))
    make.tool(in_category=kind).remove(now)
    reviewer = make.reviewer()
    for tool in tools:
        make.take(on=tool, by=reviewer)
    make.reviewer(published_at=None)
    make.category(published_at=None)
    make.fact(True, on=tools[0], to=make.attribute(kind=AttributeKind.YES_NO))
    make.attribute()
    make.comparison(tools=tools)
    make.comparison(tools=(tools[0], draft), published_at=None)
    make.report(tool=tools[0])
    make.report()
    make.decision(tool=tools[0])
    make.issue(about=tools, until=make.PUBLISHED)
    make.sent_issue(about=tools[0])
    make.subscriber()
    make.take_change(on=tools[0], by=reviewer, at=now)
    Synonym.objects.create(word="IDE", means="editor")


def _addresses() -> Iterator[str]:
    """The addresses below each kind of row."""
    for model in apps.get_models():
        if not admin.site.is_registered(model):
            continue
        patterns = admin.site.get_model_admin(model).get_urls()
        for name, pattern in {each.name: each.pattern for each in patterns if each.name}.items():
            rows = [*getattr(model, "everything", model._default_manager).all()]
            if not name.endswith(OF_EVERY_ROW) or not pattern.converters:
                del rows[1:]
            for row in rows:
                keys = {key: _key(row, key) for key in pattern.converters}
                yield reverse(f"admin:{name}", kwargs=keys)


def _key(row: Any, key: str) -> Any:
    return row.history.latest().pk if key == "version" else row.pk


@pytest.mark.parametrize("role", ROLES)
def test_every_screen_of_every_kind_of_row_opens_or_is_refused(role):
    _make_rows()
    client = desk_of(role)
    User.objects.filter(username="administrator").update(is_superuser=True)
    assert client.get("/admin/tools/tool/").status_code == ROLES[role]
    statuses = {url: client.get(url, follow="preview" in url).status_code for url in _addresses()}
    odd = {url: status for url, status in statuses.items() if status not in ANSWERS}
    assert odd == {}
    assert len(statuses) > 130
