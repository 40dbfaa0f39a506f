"""The migrations that put deleted rows back into their tables, and back."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from tests import factories as make
from tools.models import Category

pytestmark = pytest.mark.both_databases

BEFORE = {
    "comparisons": "0013_one_tool_list",
    "reviews": "0026_slips_and_corrections",
    "tools": "0016_slips_and_corrections",
}
KINDS = (Category, Reviewer, Take, Comparison)


def test_deleted_rows_go_to_their_histories_and_come_back_from_there(migrate):
    """Both ways in one test, because each takes seconds."""
    category, reviewer = make.category(slug="gone"), make.reviewer(slug="left")
    take = make.take(by=reviewer, score=77, body="Kept.")
    pair = make.comparison(summary="Kept.")
    rows = (category, take, reviewer, pair)
    for row in rows:
        row.remove(timezone.now())
    known = {type(row): state(row) for row in rows}
    lists = pair.tool_list
    still_used = make.category(slug="used")
    make.tool(in_category=still_used).remove(timezone.now())
    still_used.remove(timezone.now())
    make.category(slug="used")
    versions = {kind: kind.history.count() for kind in KINDS}

    for app, name in BEFORE.items():
        model = migrate(app, name)
        for kind in [kind for kind in KINDS if kind._meta.app_label == app]:
            stored = model(kind.__name__).objects
            gone = next(row for row in rows if type(row) is kind)
            assert not stored.filter(pk=gone.pk).exists()
            last = model(f"Historical{kind.__name__}").objects.filter(id=gone.pk)
            version = last.latest("history_id")
            assert [each.history_type for each in last.order_by("history_id")] == ["+", "-"]
            # As earlier releases recorded the deletion of a public row.
            version.published_at, version.withdrawn_at = make.PUBLISHED, None
            version.save()
    slugs = model("Category").objects.values_list("slug", flat=True)
    assert {"used", f"used-{still_used.pk}"} <= set(slugs)

    call_command("migrate", verbosity=0)
    for row in rows:
        back = type(row).everything.get(pk=row.pk)
        assert state(back) == known[type(row)]
        newest, first = back.history.all()
        assert back.withdrawn_at == back.deleted_at == newest.deleted_at
        assert (newest.history_type, first.history_type, first.deleted_at) == ("~", "+", None)
        assert not type(row).objects.filter(pk=row.pk).exists()
    assert {kind: kind.history.count() for kind in KINDS} == versions
    comparison = Comparison.everything.get(pk=pair.pk)
    assert (comparison.tool_list, comparison.tools) == (lists, pair.tools)
    comparison.bring_back()
    assert Comparison.objects.of_exactly(pair.tool_ids).get().summary == "Kept."


def state(row: Category | Reviewer | Take | Comparison) -> tuple[object, ...]:
    """Its moment of publication, and its text."""
    return row.published_at, getattr(row, "body", getattr(row, "slug", ""))
