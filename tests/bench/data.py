"""`python tests/bench/data.py TOOLS`: a made-up site for the database of DATABASE_URL.

The working folder is the checkout whose models make the rows, so that a second checkout gets the
same content: see `--beside`.
"""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any
from uuid import uuid4

CATEGORIES, REVIEWERS, TAKES, ATTRIBUTES, VOTES = 8, 5, 4, 12, 10
"""TAKES, facts (one for each of ATTRIBUTES) and VOTES are those of each tool."""
BATCH = 1_000
START = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCE = (
    "It reads the repository, plans the change, writes it and runs the tests before it asks. "
)
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("number", {"better": "higher", "unit": "GB"}),
    ("yes-no", {}),
    ("choice", {"choices": ["Often", "Seldom", "Never"]}),
    ("date", {}),
]


def fill(number: int) -> None:
    """Create this number of tools with takes, facts, plans and votes, and editors' comparisons."""
    from django.db import connection, transaction

    with transaction.atomic():
        _create_content(number)
        _vote()
    _bring_up_to_date()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _vote() -> None:
    """Cast VOTES votes on each tool. Their tallies are written too: `recount` takes minutes to
    correct all of them, one by one.
    """
    from reviews.models import ToolTally, Vote
    from tools.models import Tool

    keys = list(Tool.objects.values_list("pk", flat=True))
    at = {"cast_at": START, "changed_at": START}
    Vote.objects.bulk_create(
        [
            Vote(tool_id=key, visitor=uuid4(), choice="skip" if n % 3 == 2 else "ship", **at)
            for key in keys
            for n in range(VOTES)
        ],
        batch_size=10 * BATCH,
    )
    skip = VOTES // 3
    ToolTally.objects.bulk_create(
        ToolTally(tool_id=key, ship=VOTES - skip, skip=skip) for key in keys
    )


def _create_content(number: int) -> None:
    from comparisons.models import Comparison, DayReads, tools_key
    from reviews.models import Reviewer, Take
    from tools.models import Attribute, Category, Fact, Plan, Tool

    categories = Category.objects.bulk_create(
        Category(slug=f"kind-{n}", name=f"Kind {n}") for n in range(CATEGORIES)
    )
    panel = Reviewer.objects.bulk_create(
        Reviewer(slug=f"critic-{n}", name=f"Critic {n}", motto="Ship.", position=n)
        for n in range(REVIEWERS)
    )
    attributes = Attribute.objects.bulk_create(
        Attribute(
            slug=f"asked-{n:02}",
            name=f"Question {n:02}",
            kind=KINDS[n % len(KINDS)][0],
            group=f"Group {n // 4}",
            position=n,
            **KINDS[n % len(KINDS)][1],
        )
        for n in range(ATTRIBUTES)
    )
    keys: list[int] = []
    for start in range(0, number, BATCH):
        tools = Tool.objects.bulk_create(
            Tool(
                slug=f"tool-{n:05}",
                name=f"Tool {n:05}",
                category=categories[n % CATEGORIES],
                tagline="Writes and reviews code in your editor",
                description=SENTENCE * 5,
                best_for="Teams that review every change",
                entry="paid",
                published_at=START + timedelta(minutes=n),
            )
            for n in range(start, min(start + BATCH, number))
        )
        Take.objects.bulk_create(_takes(start, tools, panel))
        Fact.objects.bulk_create(_facts(start, tools, attributes))
        Plan.objects.bulk_create(
            Plan(tool=tool, name=name, amount=amount, per="month", position=amount // 20)
            for tool in tools
            for name, amount in (("Pro", 20), ("Team", 40))
        )
        keys += [tool.pk for tool in tools]
    Comparison.objects.bulk_create(
        Comparison(
            tool_list=[{"tool": key, "choose_if": ""} for key in keys[n : n + 2]],
            summary=SENTENCE * 2,
            featured=n < 400,
            published_at=START + timedelta(minutes=n),
        )
        for n in range(0, number - 1, 50 if number > 1_000 else 5)
    )
    DayReads.objects.add(
        {(START.date(), tools_key(keys[n : n + 2])): 3 + n for n in range(min(number, 400) - 1)}
    )


def _takes(start: int, tools: list[Any], panel: list[Any]) -> Iterator[Any]:
    """TAKES takes on each tool, by all reviewers but one."""
    from reviews.models import Take

    for n, tool in enumerate(tools, start):
        for by in range(TAKES):
            critic = (n + by) % REVIEWERS
            yield Take(
                tool=tool,
                reviewer=panel[critic],
                score=(n * 7 + critic * 13) % 101,
                verdict="ship" if (n + 2 * critic) % 3 else "skip",
                body=SENTENCE * 4,
                published_at=START + timedelta(minutes=n),
            )


def _facts(start: int, tools: list[Any], attributes: list[Any]) -> Iterator[Any]:
    """An answer of each tool to each attribute."""
    from tools.models import Fact

    for n, tool in enumerate(tools, start):
        for place, attribute in enumerate(attributes):
            fact = Fact(
                tool=tool,
                attribute=attribute,
                source="https://maker.example/docs/",
                checked_on=date(2026, 1, 1),
            )
            if attribute.kind == "number":
                fact.set_value(Decimal((n * 7 + place * 13) % 1000))
            elif attribute.kind == "yes-no":
                fact.set_value((n + place) % 3 > 0)
            elif attribute.kind == "choice":
                fact.set_value(attribute.choices[(n // 2 + place) % 3])
            else:
                fact.set_value(date(2025, 1 + n % 12, 1 + place))
            yield fact


def _bring_up_to_date() -> None:
    """Do what the site does in the background after an edit, before anything is measured."""
    from django.core.management import call_command

    from shipskip.search import indexing

    call_command("recount", stdout=StringIO())  # its long output is not shown
    indexing.rebuild()  # each row once; every fact and take has marked its tool


if __name__ == "__main__":
    sys.path[0] = os.getcwd()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    import django

    django.setup()
    fill(int(sys.argv[1]))
