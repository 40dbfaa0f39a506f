"""`python -m tests.search.measure TOOLS`: milliseconds of one core for a search with its offers,
and the size of the index, on a made-up site in the database of DATABASE_URL, which has to be empty.
"""

import os
import sys
from pathlib import Path
from time import perf_counter, process_time

import django

WORDS = (
    *("agent", "code", "editor", "model", "local", "open", "search", "vector", "evaluation"),
    *("prompt", "index", "python", "terminal", "review", "test", "deploy", "cloud", "data"),
    *("graph", "memory", "tool", "stream", "audio", "image", "speech", "chat", "database"),
)
QUERIES = [
    *("blender", "imagemagik", "kuberntes", "lang", "model", "open model", "coding assistants"),
    *("apache", "scikit learn", "vector database python", "xyzzyplugh", "g", "curser agnet"),
    *("local model terminal", "self hosted", "thunderbrid client", "dark table", "code editor"),
    *("prompt evaluation cloud review test deploy", "maker 17", "quantised models", "zzz open"),
    *("blender vs imagemagick", "which free code editor is best for a small team", "zzz or docker"),
]
BATCH, ROUNDS = 2_000, 10


def fill(tools: int) -> None:
    """Create tools with the names of packages, and index them."""
    from django.utils import timezone

    from shipskip.search.indexing import index_all
    from tests.search.relevance import package_names
    from tools.models import Category, Tool

    kinds = [Category.objects.create(slug=f"kind-{n}", name=f"Kind {n}") for n in range(8)]
    names, now = package_names(), timezone.now()
    for start in range(0, tools, BATCH):
        Tool.objects.bulk_create(
            Tool(
                slug=f"tool-{n}",
                name=names[n % len(names)] + (f" {n}" if n >= len(names) else ""),
                category=kinds[n % 8],
                maker=f"Maker {n % 500}",
                tagline=" ".join(WORDS[(n * k + k) % len(WORDS)] for k in range(1, 8)),
                description=" ".join(WORDS[(n + k * k) % len(WORDS)] for k in range(40)),
                published_at=now,
            )
            for n in range(start, min(start + BATCH, tools))
        )
    began = perf_counter()
    index_all()
    print(f"index of {tools:,} tools: {perf_counter() - began:.1f} s")


def measure() -> None:
    """Print the percentiles and the slowest queries."""
    from django.db import connection
    from django.utils import timezone

    from shipskip.content.content import Content
    from shipskip.search.offers import offers
    from shipskip.search.searching import Scope, search

    scope = Scope(timezone.now())
    content = Content(None, timezone.now())
    offers("warm", search("warm", scope), scope, content)
    spent: list[tuple[float, str]] = []
    for query in QUERIES:
        began = process_time() + _spent_by_server()
        for _ in range(ROUNDS):
            offers(query, search(query, scope), scope, content)
        spent.append(((process_time() + _spent_by_server() - began) * 1000 / ROUNDS, query))
    spent.sort()
    print(f"p50 {spent[len(spent) // 2][0]:.1f} ms, most {spent[-1][0]:.1f} ms")
    print("slowest: " + ", ".join(f"{query!r} {ms:.1f}" for ms, query in spent[-6:]))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search%'")
        else:
            cursor.execute(
                "SELECT pg_total_relation_size('search_document') "
                "+ pg_total_relation_size('search_word')"
            )
        print(f"index: {cursor.fetchone()[0] / 1e6:.0f} MB")


def _spent_by_server() -> float:
    """Seconds of a core that PostgreSQL has spent for this connection; 0 on SQLite."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    if int(sys.argv[1]):
        fill(int(sys.argv[1]))
    measure()
