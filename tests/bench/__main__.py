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
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.load import LOAD_CORE, LoadResult
from tests.bench.site import BARE, BESIDE, CACHED, RENDERED, Site
from tests.everything import ready_postgres, ready_program
from tests.source_files import ROOT

PARTS = ["sqlite-30", "sqlite-15000", "postgresql-30", "postgresql-15000"]
KEPT = ROOT / "var/bench"
PAIR = "comparison of two tools"
BESIDE_GOAL = 3.75
"""How many times as many pairs a second as the code before one content in memory."""
MEGABYTE = 1_000_000
OTHERS = ""
"""The table without a head, of figures that are not rates."""

Part = dict[str, Any]
"""How a part was measured, and its column of each table, as it is kept."""


def measure(name: str, options: argparse.Namespace) -> Part:
    """Measure one part in interleaved rounds."""
    kind, _, tools = name.partition("-")
    runs = defaultdict[tuple[str, str], list[LoadResult]](list)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{name}: making the content …", flush=True)
        with Site(kind, int(tools), Path(folder), options.beside) as site:
            for number in range(options.rounds):
                print(f"{name}: round {number + 1} of {options.rounds} …", flush=True)
                for row, run in site.measurements.items():
                    runs[row].append(run(options.seconds))
                    assert runs[row][-1].rate, f"no answer to {row}"
            print(f"{name}: edits …", flush=True)
            others = other_cells(site, options.seconds)
    tables: dict[str, dict[str, str]] = {RENDERED: {}, BESIDE: {}, CACHED: {}, OTHERS: others}
    medians = {row: median_of(results) for row, results in runs.items()}
    for (head, title), result in medians.items():
        if head == RENDERED:
            cell = page_cell(title, result, medians[RENDERED, BARE])
        elif head == BESIDE:
            cell = beside_cell(title, medians[RENDERED, title], result)
        else:
            cell = cached_cell(result)
        failures = f" **{result.failures} failures**" if result.failures else ""
        tables[head][title] = cell + failures
    at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load {os.getloadavg()[0]:.1f}"
    return {"how": f"{options.rounds} rounds of {options.seconds:g} s, {at}", "tables": tables}


def median_of(runs: list[LoadResult]) -> LoadResult:
    """The median of each figure over the rounds, all failures, and half the range of the rates as a
    share of their median.
    """
    rates = [run.rate for run in runs]
    return replace(
        runs[0],
        rate=median(rates),
        p50=median(run.p50 for run in runs),
        p99=median(run.p99 for run in runs),
        core=median(run.core for run in runs),
        failures=sum(run.failures for run in runs),
        spread=(max(rates) - min(rates)) / 2 / median(rates),
    )


def goal(text: str, *, met: bool) -> str:
    return text if met else f"{text} — missed"


def page_cell(title: str, found: LoadResult, bare: LoadResult) -> str:
    """Pages a second, milliseconds of a core, and the ratio to a bare view."""
    text = f"{found.rate:,.0f}/s · {found.core:.2f} ms"
    if title == BARE:
        return text
    budget = 150 if title.startswith("own weights") else 50
    return goal(f"{text} · 1/{bare.rate / found.rate:,.0f}", met=found.core <= budget)


def beside_cell(title: str, found: LoadResult, other: LoadResult) -> str:
    """How many times as many pages a second as the other checkout, and both processor times."""
    times = found.rate / other.rate
    text = f"{times:.2f} times · {found.core:.1f} against {other.core:.1f} ms"
    return goal(text, met=title != PAIR or times >= BESIDE_GOAL)


def cached_cell(found: LoadResult) -> str:
    """Answers a second with half the range of the rounds, p50 and p99."""
    waits = f"({found.p50:.1f} · {found.p99:.1f} ms)"
    return f"{found.rate:,.0f}/s ±{found.spread:.0%} {waits}"


def other_cells(site: Site, seconds: float) -> dict[str, str]:
    """The figures that are not rates."""
    edits, content = site.edits(), site.content()
    reached, views, most = site.reach(seconds)
    style, total, requests = site.first_view()
    return {
        "an edit shows after, at most (goal 1 s, 2 s with 15,000 tools)": goal(
            f"{edits['shown']:.2f} s", met=edits["shown"] <= (1 if site.tools <= 30 else 2)
        ),
        "slowest `/tools/` in two seconds after an edit": (
            f"{edits['first']:.0f} ms, others {edits['list']:.0f} ms"
        ),
        "content built in, of a core (goal 1 s)": goal(
            f"{content['core']:.2f} s ({content['seconds']:.2f} s elapsed)",
            met=content["core"] <= 1,
        ),
        "memory of the content (goal 150 MB)": goal(
            f"{content['bytes'] / MEGABYTE:.1f} MB", met=content["bytes"] <= 150 * MEGABYTE
        ),
        "first view: page and style (16 KB), all (75 KB), requests (6)": goal(
            f"{style:,} B, {total:,} B, {requests}",
            met=style <= 16_384 and total <= 76_800 and requests <= 6,
        ),
        "page views behind our nginx that reached Python": goal(
            f"{reached} of {views:,}; {most} allowed", met=reached <= most
        ),
    }


def report(parts: dict[str, Part]) -> str:
    """All tables; each has a column for each part."""
    lines = [
        f"Measured on {os.cpu_count()} cores, {platform.system()}, Python"
        f" {platform.python_version()}:",
        "",
    ]
    lines += [f"- {name}: {part['how']}" for name, part in parts.items()]
    for head in (RENDERED, BESIDE, CACHED, OTHERS):
        columns = [part["tables"][head] for part in parts.values()]
        titles = dict.fromkeys(title for column in columns for title in column)
        if titles:
            lines += ["", f"| {head} | {' | '.join(parts)} |", "|---|" + "---|" * len(parts)]
        for title in titles:
            lines.append(f"| {title} | {' | '.join(each.get(title, '–') for each in columns)} |")
    return "\n".join(lines)


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
    if not options.kept and (reason := ready_program("wrk", "wrk", "the load")):
        print(f"A plain client sends the load: {reason}")
    if len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, {int(LOAD_CORE)})
    for name in [] if options.kept else options.only or PARTS:
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
