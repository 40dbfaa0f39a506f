"""Fill a database with a week of work at the desk: `python -m tests.pictures.data`.

The database is that of DATABASE_URL; Django is set up first, so models are imported later.
"""

import os
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import django

EDITORS = {"ana": "Publishers", "ben": "Publishers", "wim": "Writers"}
"""The accounts at the desk, and the group of each."""
PASSWORD = "a-long-good-one"


def fill() -> None:
    """Editors, subscribers, votes of which some are held, drafts, a schedule, a sent issue."""
    from django.contrib.auth.models import Group, User

    for name, group in EDITORS.items():
        editor = User.objects.create_user(name, password=PASSWORD, is_staff=True)
        editor.groups.add(Group.objects.get(name=group))
    now = datetime.now(UTC)
    _fill_content(now)
    _fill_votes(now)
    _fill_newsletter(now)


def _fill_content(now: datetime) -> None:
    """A draft and a scheduled tool, and new takes for the next issue, all of them by Ben."""
    from django.contrib.auth.models import User

    from reviews.models import Reviewer, Take
    from tests import factories as make
    from tools.models import Category, Tool

    category = Category.objects.get(slug="developer-tools")
    later = now.replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=2)
    make.tool(
        slug="zed-agent",
        name="Zed Agent",
        in_category=category,
        tagline="Edits files beside you in the editor",
        published_at=None,
    )
    words = {"tagline": "Reads a pull request and asks three questions", "best_for": "small teams"}
    review = make.tool(
        slug="pull-reader", name="Pull Reader", in_category=category, published_at=later, **words
    )
    builder, skeptic = (Reviewer.objects.get(slug=slug) for slug in ("builder", "skeptic"))
    body = "It reads the diff, finds the one risky line, and says why in a sentence."
    make.take(on=review, by=builder, score=81, body=body, published_at=later)
    make.take(on=review, by=skeptic, score=58, verdict="skip", body=body, published_at=None)
    recent = now - timedelta(days=1)
    new = make.tool(
        slug="patch-pilot",
        name="Patch Pilot",
        in_category=category,
        tagline="Turns an issue into a small patch",
        published_at=recent,
    )
    for reviewer, score in zip(Reviewer.objects.all()[:3], (86, 49, 71), strict=True):
        verdict = "ship" if score > 60 else "skip"
        make.take(on=new, by=reviewer, score=score, verdict=verdict, body=body, published_at=recent)
    for tool in Tool.objects.filter(slug__in=["vllm", "aider", "gradio"]):
        panel = Reviewer.objects.exclude(takes__tool=tool)
        make.take(on=tool, by=panel[0], score=77, body=body, published_at=recent)
    ben = User.objects.get(username="ben")
    for model in (Tool, Take):
        versions = model.history.model.objects.filter(history_user=None)
        versions.exclude(history_change_reason__contains="catalogue").update(history_user=ben)


def _fill_votes(now: datetime) -> None:
    """Votes of several networks over two weeks, and many of one evening."""
    from reviews import voting
    from tools.models import Tool

    tools = list(Tool.objects.filter(slug__in=["smollm3", "ollama", "cline"]))
    for number in range(90):
        moment = now - timedelta(hours=4 * number + 30)
        choice = "skip" if number % 3 == 0 else "ship"
        voting.cast(tools[number % 3], uuid4(), choice, f"192.0.{number}.0/24", moment)
    noon = (now - timedelta(days=1)).replace(hour=12)
    for number in range(34):
        moment = noon + timedelta(minutes=7 * number)
        choice = "skip" if number % 4 == 3 else "ship"
        voting.cast(tools[0], uuid4(), choice, f"198.51.{number}.0/24", moment)


def _fill_newsletter(now: datetime) -> None:
    """Subscribers in every state, and the issue of last week."""
    from tests import factories as make
    from tools.models import Tool

    joined = now - timedelta(days=40)
    for number in range(12):
        make.subscriber(address=f"reader{number}@example.org", joined_at=joined)
    make.subscriber(address="waits@example.org", state="waiting", joined_at=now)
    last_week = now - timedelta(days=6)
    about = Tool.objects.get(slug="smollm3")
    words = {"subject": "SmolLM3: ship", "introduction": "A *quiet* week."}
    make.sent_issue(about=about, until=last_week, scheduled_at=last_week, number=1, **words)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    fill()
