"""Fill a database with a week of work at the desk: `python -m tests.pictures.data`.

The database is that of DATABASE_URL; Django is set up first, so models are imported later.
"""

import os
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import django

PASSWORD = "a-long-good-one"
"""Of both editors, Ana and Ben."""


def fill() -> None:
    """Editors, subscribers, votes, a draft, a scheduled tool, new takes, a sent issue."""
    from django.contrib.auth.models import Group, User

    from reviews import voting
    from reviews.models import Reviewer, Take
    from tests import factories as make
    from tools.models import Category, Tool

    now = datetime.now(UTC)
    recent, last_week = now - timedelta(days=1), now - timedelta(days=6)
    later = now.replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=2)
    for name in ("ana", "ben"):
        editor = User.objects.create_user(name, password=PASSWORD, is_staff=True)
        editor.groups.add(Group.objects.get(name="Publishers"))
    developers = Category.objects.get(slug="developer-tools")
    tools = {}
    for slug, tagline, published_at in (
        ("zed-agent", "Edits files beside you in the editor", None),
        ("pull-reader", "Reads a pull request and asks three questions", later),
        ("patch-pilot", "Turns an issue into a small patch", recent),
    ):
        name = slug.replace("-", " ").title()
        fields = {"tagline": tagline, "published_at": published_at, "in_category": developers}
        tools[slug] = make.tool(slug=slug, name=name, **fields)
    builder, skeptic = (Reviewer.objects.get(slug=slug) for slug in ("builder", "skeptic"))
    body = "It reads the diff, finds the one risky line, and says why in a sentence."
    scheduled = {"on": tools["pull-reader"], "body": body}
    new = {"body": body, "published_at": recent}
    make.take(by=builder, score=81, published_at=later, **scheduled)
    make.take(by=skeptic, score=58, verdict="skip", published_at=None, **scheduled)
    for reviewer, score in zip(Reviewer.objects.all()[:3], (86, 49, 71), strict=True):
        verdict = "ship" if score > 60 else "skip"
        make.take(on=tools["patch-pilot"], by=reviewer, score=score, verdict=verdict, **new)
    for tool in Tool.objects.filter(slug__in=["vllm", "aider", "gradio"]):
        panel = Reviewer.objects.exclude(takes__tool=tool)
        make.take(on=tool, by=panel[0], score=77, **new)
    for model in (Tool, Take):
        versions = model.history.model.objects.filter(history_user=None)
        by_ben = versions.exclude(history_change_reason__contains="catalogue")
        by_ben.update(history_user=User.objects.get(username="ben"))
    voted = list(Tool.objects.filter(slug__in=["smollm3", "ollama", "cline"]))
    for number in range(90):
        moment = now - timedelta(hours=4 * number + 30)
        choice = "skip" if number % 3 == 0 else "ship"
        voting.cast(voted[number % 3], uuid4(), choice, f"192.0.{number}.0/24", moment)
    for number in range(12):
        make.subscriber(address=f"reader{number}@example.org", joined_at=now - timedelta(days=40))
    make.subscriber(address="waits@example.org", state="waiting", joined_at=now)
    make.sent_issue(
        about=Tool.objects.get(slug="smollm3"),
        until=last_week,
        scheduled_at=last_week,
        number=1,
        subject="SmolLM3: ship",
        introduction="A *quiet* week.",
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    fill()
