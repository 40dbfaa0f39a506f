"""`make bench`: measure the site's speed under load on this machine, each server on one core.

`python -m tests.bench [--seconds 3] [--rounds 3] [--small] [--write docs/performance.md]`. The
load generator runs on the other core. Every figure is measured in each round, so that other work
of the machine affects all figures equally. Ratios are more reliable than numbers.
"""

import argparse
import os
import platform
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import sleep

from tests.bench.load import LoadResult
from tests.bench.site import Site, Size
from tests.everything import ready_postgres

TITLES = {
    "a0": "nginx, the page's bytes as a file, nothing else",
    "a": "the same with the page's headers and a line in the log",
    "b": "our nginx, cached",
    "c": "`make serve` alone, from memory",
    "d": "the same, 304",
    "e": "the same, rendering each time",
    "i2": "2 tools with 30 attributes each, one reader, rendering each time",
    "i10": "10 tools with 30 attributes each, one reader, rendering each time",
    "j": "all tools by a fact, one reader, rendering each time",
    "k": "a category sorted by a fact, one reader, rendering each time",
    "f": "a bare Django view, same bytes, server and middleware",
    "g1": "votes, one tool",
    "g24": "votes, 24 tools",
    "h": "`/me/marks/`, two tools in view, for a browser that voted",
}
SMALL, LARGE = Size("24 tools", 24, 0), Size("15,000 tools", 15_000, 1_000_000)
PAUSE = 1
"""Seconds after a run, in which a server answers requests that wrk no longer waits for."""
Results = dict[str, dict[str, list[LoadResult]]]


def median_of(runs: list[LoadResult], what: str = "rate") -> float:
    """The median of a figure over the rounds."""
    return float(median(getattr(run, what) for run in runs))


def relative_spread(runs: list[LoadResult]) -> str:
    """Half the range of the rounds, as a share of their median."""
    rates = [run.rate for run in runs]
    return f"{(max(rates) - min(rates)) / 2 / median(rates):.0%}"


def table(results: Results) -> list[str]:
    """A row for each figure: answers a second, half the range of the rounds, p50 and p99."""
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for key, title in TITLES.items():
        cells = []
        for found in results.values():
            runs = found[key]
            failures = sum(run.failures for run in runs)
            cells.append(
                f"{median_of(runs):,.0f}/s ±{relative_spread(runs)} ({median_of(runs, 'p50'):.1f} ·"
                f" {median_of(runs, 'p99'):.1f} ms)"
                + (f" **{failures} failures**" if failures else "")
            )
        lines.append(f"| {key[0]} {title} | " + " | ".join(cells) + " |")
    return lines


def targets(results: Results) -> list[str]:
    """The targets, and whether they were reached; a line each."""
    lines = ["| target | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]

    def row(title: str, values: list[tuple[str, bool]]) -> None:
        cells = [f"{text}{'' if good else ' — missed'}" for text, good in values]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")

    def ratio(one: str, other: str, target: float) -> list[tuple[str, bool]]:
        shares = [median_of(found[one]) / median_of(found[other]) for found in results.values()]
        return [(f"{share:.2f}", share >= target) for share in shares]

    row("b ≥ 0.85 a", ratio("b", "a", 0.85))
    row("c ≥ 0.9 f", ratio("c", "f", 0.9))
    row("d ≥ c", ratio("d", "c", 1.0))
    waits = [(name, median_of(found["e1"], "p50")) for name, found in results.items()]
    limits = {"sqlite": 2.5, "postgresql": 3.5}
    row(
        "e: time per page, one reader, ≤ 2.5 ms (SQLite), 3.5 ms (PostgreSQL)",
        [(f"{wait:.1f} ms", wait <= limits[name.split(",")[0]]) for name, wait in waits],
    )
    for key in ("i2", "i10", "j", "k"):
        times = [median_of(found[key], "p50") for found in results.values()]
        row(f"{TITLES[key]}: ≤ 50 ms", [(f"{time:.1f} ms", time <= 50) for time in times])
    for key in ("c", "e", "g24", "h"):
        cells = []
        for name, found in results.items():
            small = results.get(name.split(",")[0] + ", " + SMALL.title, found)
            share = median_of(found[key]) / median_of(small[key])
            cells.append((f"{share:.2f}", share >= 0.85))
        row(f"{key[0]} at this size ÷ at 24 tools ≥ 0.85", cells)
    for key in ("b", "c", "e"):
        shares = [median_of(f[key], "p99") / median_of(f[key], "p50") for f in results.values()]
        row(f"{key}: p99 ÷ p50 ≤ 5", [(f"{share:.1f}", share <= 5) for share in shares])
    return lines


def machine() -> str:
    """The machine on which the figures were measured."""
    return (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; load"
        f" before the start {os.getloadavg()[0]:.1f}"
    )


def measure(options: argparse.Namespace) -> tuple[Results, list[str]]:
    """Measure all sites in interleaved rounds: the figures, and two lines for each site."""
    kinds = ["sqlite"] if ready_postgres() else ["sqlite", "postgresql"]
    sizes = [SMALL] if options.small else [SMALL, LARGE]
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        sites = []
        for kind in kinds:
            for size in sizes:
                folder = Path(place) / f"{kind}-{size.tools}"
                folder.mkdir()
                print(f"Setting up {kind}, {size.title} …", flush=True)
                sites.append(stack.enter_context(Site(kind, size, folder)))
        results: Results = {site.title: {} for site in sites}
        for number in range(options.rounds):
            print(f"Round {number + 1} of {options.rounds} …", flush=True)
            for key in sites[0].measurements:
                for site in sites:
                    run = site.measurements[key](options.seconds)
                    sleep(PAUSE)
                    assert run.rate, f"{site.title}: no answer to {key}"
                    results[site.title].setdefault(key, []).append(run)
        lines = [f"{site.title}: {site.first_view}" for site in sites]
        return results, lines + [
            f"{site.title}: {reach_line(site, options.seconds)}" for site in sites
        ]


def reach_line(site: Site, seconds: float) -> str:
    """How many page views of readers without a cookie reached Python behind our nginx."""
    views, found, most = site.reach(seconds)
    return (
        f"of {views:,} page views behind our nginx {found} reached Python; {most} are allowed: one"
        f" for each page, encoding and second{'' if found <= most else ' — missed'}"
    )


def main() -> int:
    """Measure, print the tables, and write them to a file if one is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=3, help="of each run (3)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="24 tools only")
    parser.add_argument("--write", type=Path, help="a document with the two marks of the table")
    options = parser.parse_args()
    where = machine()
    results, views = measure(options)
    lines = [f"Measured on {where}; {options.rounds} rounds of {options.seconds:g} s."]
    lines += ["", *table(results), "", *targets(results), "", *(f"- {view}" for view in views)]
    text = "\n".join(lines)
    print(f"\n{text}")
    if options.write:
        document = options.write.read_text()
        start, end = "<!-- bench -->\n", "<!-- /bench -->"
        before, after = document.partition(start)[0], document.partition(end)[2]
        options.write.write_text(f"{before}{start}{text}\n{end}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
