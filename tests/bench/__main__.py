"""`make bench`: measure the site's speed on this machine, each server on one core.

`python -m tests.bench [--only sqlite-30] [--seconds 2] [--rounds 3] [--beside CHECKOUT] [--write
docs/performance.md]`. Each part is a database with 30 or 15,000 tools; the results of a part are
kept in var/bench, so that the parts can be measured one by one: the table has all that are kept.
The rows of a part are measured in turn in every round, so that other work of the machine affects
all alike: ratios are more reliable than numbers.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.load import LOAD_CORE, LoadResult
from tests.bench.pages import BESIDE_GOAL, PAGES, PAIR, budget
from tests.bench.site import BARE, Measurement, Site
from tests.everything import ready_postgres
from tests.stress_site import ROOT

PARTS = ["sqlite-30", "sqlite-15000", "postgresql-30", "postgresql-15000"]
KEPT = ROOT / "var/bench"
CACHED = [
    "nginx, the page as a file",
    "our nginx, cached",
    "from the server's memory",
    "304",
    BARE,
    "`/me/marks/`, two tools",
    "votes, one tool",
    "votes, 24 tools",
]
MEGABYTE = 1_000_000

Part = dict[str, Any]
"""The results of a part, as they are kept."""


def measure(name: str, options: argparse.Namespace) -> Part:
    """Measure one part in interleaved rounds."""
    kind, _, tools = name.partition("-")
    with tempfile.TemporaryDirectory() as folder:
        print(f"{name}: making the content …", flush=True)
        with Site(kind, int(tools), Path(folder), options.beside) as site:
            site.start_cached()
            rows: dict[str, dict[str, list[LoadResult]]] = {"pages": {}, "beside": {}, "cached": {}}
            for number in range(options.rounds):
                print(f"{name}: round {number + 1} of {options.rounds} …", flush=True)
                for title, run in site.pages.items():
                    _add(rows["pages"], title, run, options.seconds)
                    if beside := site.pages_beside.get(title):
                        _add(rows["beside"], title, beside, options.seconds)
                for title, run in site.cached.items():
                    _add(rows["cached"], title, run, options.seconds)
            found: Part = {
                table: {title: _medians(runs) for title, runs in results.items()}
                for table, results in rows.items()
            }
            print(f"{name}: edits …", flush=True)
            found |= {"edits": site.edits(), "content": site.content()}
            found |= {"reach": site.reach(options.seconds), "first_view": site.first_view()}
    found["tools"] = int(tools)
    found["how"] = f"{options.rounds} rounds of {options.seconds:g} s"
    found["at"] = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load {os.getloadavg()[0]:.1f}"
    return found


def _add(rows: dict[str, list[LoadResult]], title: str, run: Measurement, seconds: float) -> None:
    result = run(seconds)
    assert result.rate, f"no answer to {title}"
    rows.setdefault(title, []).append(result)


def _medians(runs: list[LoadResult]) -> dict[str, float]:
    """The median of each figure over the rounds, all failures, and half the range of the rates as a
    share of their median.
    """
    found = {name: float(median(getattr(run, name) for run in runs)) for name in asdict(runs[0])}
    rates = [run.rate for run in runs]
    spread = (max(rates) - min(rates)) / 2 / median(rates)
    return found | {"failures": sum(run.failures for run in runs), "spread": spread}


def table(
    head: str, parts: dict[str, Part], rows: Iterable[str], cell: Callable[[Part, str], str]
) -> list[str]:
    """A table with a column for each part; rows without any figure are left out."""
    lines = [f"| {head} | {' | '.join(parts)} |", "|---|" + "---|" * len(parts)]
    for title in rows:
        cells = [cell(part, title) for part in parts.values()]
        if any(cells):
            lines.append(f"| {title} | {' | '.join(text or '–' for text in cells)} |")
    return [*lines, ""] if len(lines) > 2 else []


def page_cell(part: Part, title: str) -> str:
    """Pages a second, milliseconds of a core, and the ratio to a bare view."""
    row, bare = part["pages"].get(title), part["pages"].get(BARE)
    if not row:
        return ""
    beside = "" if title == BARE else f" · 1/{bare['rate'] / row['rate']:,.0f}"
    missed = " — missed" if title != BARE and row["core"] > budget(title) else ""
    return f"{row['rate']:,.0f}/s · {row['core']:.2f} ms{beside}{missed}{_failures(row)}"


def beside_cell(part: Part, title: str) -> str:
    """How many times as many pages a second as the other checkout, and both processor times."""
    row, other = part["pages"].get(title), part["beside"].get(title)
    if not row or not other:
        return ""
    times = row["rate"] / other["rate"]
    missed = " — missed" if title == PAIR and times < BESIDE_GOAL else ""
    return (
        f"{times:.2f} times · {row['core']:.1f} against {other['core']:.1f} ms{missed}"
        f"{_failures(other)}"
    )


def cached_cell(part: Part, title: str) -> str:
    """Answers a second with half the range of the rounds, p50 and p99."""
    row = part["cached"].get(title)
    if not row:
        return ""
    waits = f"({row['p50']:.1f} · {row['p99']:.1f} ms)"
    return f"{row['rate']:,.0f}/s ±{row['spread']:.0%} {waits}{_failures(row)}"


def _failures(row: dict[str, float]) -> str:
    return f" **{row['failures']:.0f} failures**" if row["failures"] else ""


def _goal(value: float, goal: float, text: str) -> str:
    return text if value <= goal else f"{text} — missed"


def other_cell(part: Part, title: str) -> str:
    """The figures that are not rates."""
    return OTHERS[title](part)


def _shown(part: Part) -> str:
    seconds = part["edits"]["shown"]
    return _goal(seconds, 1 if part["tools"] <= 30 else 2, f"{seconds:.2f} s")


def _first(part: Part) -> str:
    return f"{part['edits']['first']:.0f} ms, others {part['edits']['list']:.0f} ms"


def _built(part: Part) -> str:
    found = part["content"]
    return _goal(found["core"], 1, f"{found['core']:.2f} s ({found['seconds']:.2f} s elapsed)")


def _memory(part: Part) -> str:
    grown = part["content"]["bytes"]
    return _goal(grown, 150 * MEGABYTE, f"{grown / MEGABYTE:.1f} MB")


def _first_view(part: Part) -> str:
    page, total, requests = part["first_view"]
    fits = page <= 16_384 and total <= 76_800 and requests <= 6
    return _goal(not fits, 0, f"{page:,} B, {total:,} B, {requests}")


def _reached(part: Part) -> str:
    views, found, most = part["reach"]
    return _goal(found, most, f"{found} of {views:,}; {most} allowed")


OTHERS: dict[str, Callable[[Part], str]] = {
    "an edit shows after, at most (goal 1 s, 2 s with 15,000 tools)": _shown,
    "slowest `/tools/` in two seconds after an edit": _first,
    "content built in, of a core (goal 1 s)": _built,
    "memory of the content (goal 150 MB)": _memory,
    "first view: page and style (16 KB), all (75 KB), requests (6)": _first_view,
    "page views behind our nginx that reached Python": _reached,
}


def report(parts: dict[str, Part]) -> str:
    """All tables."""
    lines = [f"Measured on {os.cpu_count()} cores, {platform.system()}, Python"]
    lines = [f"{lines[0]} {platform.python_version()}:", ""]
    lines += [f"- {name}: {part['how']}, {part['at']}" for name, part in parts.items()]
    lines += ["", *table("rendered each time", parts, [BARE, *PAGES], page_cell)]
    lines += table("against the other checkout", parts, PAGES, beside_cell)
    lines += table("cached, and visitors", parts, CACHED, cached_cell)
    lines += table("", parts, OTHERS, other_cell)
    return "\n".join(lines).rstrip()


def kept() -> dict[str, Part]:
    """The results of all parts that were measured."""
    files = {name: KEPT / f"{name}.json" for name in PARTS}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def main() -> int:
    """Measure, print the tables, and write them to a file if one is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="a part; repeatable")
    parser.add_argument("--seconds", type=int, default=2, help="of each run (2)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="another checkout, measured in the same run")
    parser.add_argument("--kept", action="store_true", help="measure nothing: only the tables")
    parser.add_argument("--write", type=Path, help="a document with the two marks of the tables")
    options = parser.parse_args()
    options.beside = options.beside and options.beside.resolve()
    KEPT.mkdir(parents=True, exist_ok=True)
    cores = os.sched_getaffinity(0)
    if len(cores) > 1:
        os.sched_setaffinity(0, {int(LOAD_CORE)})
    wanted = [] if options.kept else options.only or PARTS
    for name in wanted:
        if name.startswith("postgresql") and (reason := ready_postgres()):
            print(f"{name} is left out: {reason}")
            continue
        (KEPT / f"{name}.json").write_text(json.dumps(measure(name, options)))
    text = report(kept())
    print(f"\n{text}")
    if options.write:
        document = options.write.read_text()
        start, end = "<!-- bench -->\n", "<!-- /bench -->"
        before, after = document.partition(start)[0], document.partition(end)[2]
        options.write.write_text(f"{before}{start}{text}\n{end}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
