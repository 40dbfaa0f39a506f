"""`python -m tests.bench.data TOOLS VOTES`: a made-up site for the database of DATABASE_URL."""

import os
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO

import django

CATEGORIES, REVIEWERS, ATTRIBUTES, BATCH = 8, 4, 30, 2_000
START = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCE = (
    "It reads the repository, plans the change, writes it and runs the tests before it asks. "
)

VOTES = {
    "sqlite": """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s)
        INSERT INTO reviews_vote
            (tool_id, visitor, choice, state, reason, network, cast_at, changed_at)
        SELECT first + i %% tools, lower(hex(randomblob(16))),
            CASE WHEN i %% 3 THEN 'ship' ELSE 'skip' END, 'counted', '', '', %s, %s
        FROM n, (SELECT min(id) AS first, count(*) AS tools FROM tools_tool)""",
    "postgresql": """
        INSERT INTO reviews_vote
            (tool_id, visitor, choice, state, reason, network, cast_at, changed_at)
        SELECT first + i %% tools, gen_random_uuid(),
            CASE WHEN i %% 3 > 0 THEN 'ship' ELSE 'skip' END, 'counted', '', '', %s, %s
        FROM generate_series(1, %s) AS n(i),
            (SELECT min(id) AS first, count(*) AS tools FROM tools_tool) AS t""",
}

FACTS = """
    INSERT INTO tools_fact (tool_id, attribute_id, kind, applies, number, yes_no, text, date, note,
        source, checked_on)
    SELECT tool.id, asked.id, asked.kind, true,
        CASE WHEN asked.kind = 'number' THEN (tool.id * 7 + asked.id * 13) % 1000 END,
        CASE WHEN asked.kind = 'yes-no' THEN (tool.id + asked.id) % 3 > 0 END,
        CASE WHEN asked.kind <> 'choice' THEN '' WHEN (tool.id + asked.id) % 3 > 0 THEN 'Often'
            ELSE 'Seldom' END,
        NULL, '', 'https://maker.example/docs/', '2026-01-01'
    FROM tools_tool AS tool, tools_attribute AS asked WHERE tool.slug > 'tool-00001'"""
PLANS = """
    INSERT INTO tools_plan (tool_id, name, amount, currency, per, per_user, position, note, source,
        checked_on)
    SELECT tool.id, price.name, price.amount, 'USD', 'month', false, price.amount, '',
        'https://maker.example/', NULL
    FROM tools_tool AS tool,
        (SELECT 'Pro' AS name, 20 AS amount UNION ALL SELECT 'Team', 40) AS price
    WHERE tool.slug > 'tool-00001'"""


def fill(tools: int, votes: int) -> None:
    """Create tools, each with a take of every reviewer, facts and plans, and votes spread over
    them. The first two state nothing, so that their page is that of earlier measurements.
    """
    from django.core.management import call_command
    from django.db import connection

    from comparisons.models import Comparison
    from reviews.models import Reviewer, Take
    from tools.models import Category, Tool

    kinds = [Category.objects.create(slug=f"kind-{n}", name=f"Kind {n}") for n in range(CATEGORIES)]
    panel = [
        Reviewer.objects.create(slug=f"critic-{n}", name=f"Critic {n}", motto="Ship.", position=n)
        for n in range(REVIEWERS)
    ]
    for start in range(0, tools, BATCH):
        rows = Tool.objects.bulk_create(
            Tool(
                slug=f"tool-{n:05}",
                name=f"Tool {n:05}",
                category=kinds[n % CATEGORIES],
                tagline="Writes and reviews code in your editor",
                description=SENTENCE * 5,
                best_for="Teams that review every change",
                pricing="Pro $20/mo",
                published_at=START + timedelta(minutes=n),
            )
            for n in range(start, min(start + BATCH, tools))
        )
        Take.objects.bulk_create(
            Take(
                tool=row,
                reviewer=by,
                score=(row.pk * 7 + by.pk * 13) % 101,
                verdict="ship" if (row.pk + by.pk) % 3 else "skip",
                body=SENTENCE * 4,
                published_at=START,
            )
            for row in rows
            for by in panel
        )
    two = list(Tool.objects.order_by("slug").values_list("pk", flat=True)[:2])
    Comparison.objects.create(tool_ids=two, published_at=START, featured=True)
    if votes:
        numbers = (votes, START, START) if connection.vendor == "sqlite" else (START, START, votes)
        with connection.cursor() as cursor:
            cursor.execute(VOTES[connection.vendor], numbers)
    _state_facts()
    call_command("recount", stdout=StringIO())  # its long output is not shown
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _state_facts() -> None:
    """Answer every attribute on every tool but the first two, and give each of these two plans."""
    from django.db import connection

    from tools.models import Attribute

    kinds = [("number", "higher", []), ("yes-no", "", []), ("choice", "", ["Often", "Seldom"])]
    rows = []
    for n in range(ATTRIBUTES):
        kind, better, choices = kinds[n % len(kinds)]
        row = Attribute(slug=f"asked-{n:02}", name=f"Question {n:02}", kind=kind, better=better)
        row.group, row.choices, row.position = f"Group {n // 10}", choices, n
        rows.append(row)
    Attribute.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute(FACTS)
        cursor.execute(PLANS)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    fill(int(sys.argv[1]), int(sys.argv[2]))
