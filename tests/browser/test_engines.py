"""WebKit and Firefox draw what Chromium draws, and a visitor can do the same in each."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from shipskip.newsletter.models import Subscriber
from tests.browser import pages
from tests.browser.engines import (
    END,
    ENTER,
    ChromiumWindow,
    Window,
    click,
    firefox,
    missing,
    wait_for,
    webkit,
    write,
)
from tests.browser.site import Site
from tests.browser.visitor import A, from_database, saved, votes
from tests.npm_packages import skip_or_fail

CHARTED = ["home", "comparison", "comparison of three", "comparison of ten", "tools"]
CHARTED += ["category", "tool", "reviewer"]
TEN = "/compare/aider-vs-autogen-vs-chroma-vs-cline-vs-continue-vs-crewai-vs-github-copilot"
TEN += "-vs-langgraph-vs-pgvector-vs-pinecone/"
URLS = pages.OPEN | {"comparison of ten": TEN}
HEIGHT = 740
WIDTHS = (360, 1280)
STARTED = {"WebKit": webkit, "Firefox": firefox}

# For each chart and each portrait, in the page's order: its class and size, the boxes of its marks
# and of its words in its own units, and what is wrong with the words.
DRAWN = r"""(() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg.chart, svg.interval, :not(g) > svg.portrait")) {
    const own = svg.getBoundingClientRect();
    if (!own.width) continue;
    if (!svg.hasAttribute("viewBox")) throw `no viewBox: ${svg.outerHTML}`;
    const unit = own.width / svg.viewBox.baseVal.width;
    const box = (one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [left - own.left, top - own.top, width, height].map((n) => n / unit);
    };
    const shape = (one) => {  // without its stroke, which only Firefox counts
      if (one.tagName === "svg") return box(one);
      const { x, y, width, height } = one.getBBox(), { a, d, e, f } = one.getScreenCTM();
      const found = [a * x + e - own.left, d * y + f - own.top, a * width, d * height];
      return found.map((n) => n / unit);
    };
    const shown = (one) => one.checkVisibility({ visibilityProperty: true });
    const words = [...svg.querySelectorAll("text:not(.portrait__letter)")].filter(shown);
    const faults = [];
    words.forEach((one, at) => {
      const [x, y, width, height] = box(one);
      if (x < -1 || x + width > own.width / unit + 1) faults.push(`cut: ${one.textContent}`);
      for (const other of words.slice(0, at)) {
        const [left, top, w, h] = box(other);
        if (x < left + w && left < x + width && y + 3 < top + h && top + 3 < y + height)
          faults.push(`${one.textContent} covers ${other.textContent}`);
      }
    });
    const units = /[= (]-?[\d.]+(%|r?em|px)/;
    for (const one of [svg, ...svg.querySelectorAll("*")])
      for (const { name, value } of one.attributes)
        if (!name.startsWith("aria") && units.test(`=${value}`)) faults.push(`${name}=${value}`);
    const marks = "circle, rect, .portrait, .price-score__mark, path[class^=chart]";
    found.push({
      name: svg.getAttribute("class"),
      unit,
      size: [own.width, own.height],
      marks: [...svg.querySelectorAll(marks)].map(shape),
      faults,
    });
  }
  return found;
})()"""

Drawn = dict[tuple[str, int], list[dict[str, Any]]]


def drawn(window: Window, address: str) -> Drawn:
    """What each page draws at each width."""
    found: Drawn = {}
    for kind in CHARTED:
        window.open(address + URLS[kind])
        for width in WIDTHS:
            window.resize(width, HEIGHT)
            found[kind, width] = window.run(DRAWN)
    return found


@pytest.fixture(scope="module")
def chromium(window: Page, address: str) -> Drawn:
    return drawn(ChromiumWindow(window), address)


@pytest.fixture(scope="module", params=STARTED)
def engine(request: pytest.FixtureRequest, address: str) -> Iterator[Window]:
    """A window of the engine, for all tests of this file."""
    if packages := missing(request.param):
        skip_or_fail(f"NOT TESTED IN {request.param}: install {', '.join(packages)}")
    with STARTED[request.param]() as started:
        yield started


def test_each_engine_draws_marks_and_portraits_where_chromium_does_and_no_words_overlap(
    engine: Window, chromium: Drawn, address: str
):
    faults: list[object] = []
    for place, charts in drawn(engine, address).items():
        expected = chromium[place]
        assert [chart["name"] for chart in charts] == [chart["name"] for chart in expected], place
        for chart, other in zip(charts, expected, strict=True):
            faults += [(place, chart["name"], fault) for fault in chart["faults"] + other["faults"]]
            pairs = zip(chart["marks"], other["marks"], strict=True)
            moved = [
                pair
                for pair in pairs
                if max(abs(a - b) for a, b in zip(*pair, strict=True)) * other["unit"] > 1
            ]
            faults += [(place, chart["name"], *pair) for pair in moved]
            height, wanted = (each["size"][1] / each["unit"] for each in (chart, other))
            if abs(height - wanted) * other["unit"] > 1:
                faults.append((place, chart["name"], "as high as", height, wanted))
    assert faults == []


def test_a_mark_in_another_place_and_words_over_others_are_found(window: Page, address: str):
    page = ChromiumWindow(window)
    page.open(address + pages.COMPARISON)
    [before, *_] = [chart for chart in page.run(DRAWN) if chart["name"] == "chart"]
    window.evaluate(
        """() => {
          const chart = document.querySelector("svg.chart");
          chart.querySelector("g").setAttribute("transform", "translate(9rem 4rem)");
          const [first] = chart.querySelectorAll(".strip__number");
          first.after(first.cloneNode(true));
        }"""
    )
    [after, *_] = [chart for chart in page.run(DRAWN) if chart["name"] == "chart"]
    assert before["faults"] == []
    assert len(after["faults"]) == 2
    assert before["marks"] != after["marks"]


def a_visit(visitor: Window, address: str) -> None:
    """Vote, save, pick two tools, weigh a reviewer, and join the newsletter."""
    visitor.resize(1280, 800)
    visitor.open(address + pages.COMPARISON)
    click(visitor, f"#vote-{A}-ship")
    wait_for(visitor, f"document.querySelector('#vote-{A}-ship[aria-pressed=true]')")
    click(visitor, ".bookmark__button")
    wait_for(visitor, "document.querySelector('.bookmark__button[value=no]')")
    assert (votes(), saved()) == ([(A, "ship")], [A])
    visitor.open(f"{address}/compare/")
    write(visitor, "#pick-1", "Aider")
    write(visitor, "#pick-2", f"Cline{ENTER}")
    wait_for(visitor, "location.pathname === '/compare/aider-vs-cline/'")
    visitor.open(f"{address}{pages.COMPARISON}?weigh=own")
    write(visitor, "#weigh-skeptic", END)
    wait_for(visitor, "location.search.includes('weigh-skeptic=3')")
    wait_for(visitor, "document.querySelector('.own-panel__ours')")
    write(visitor, "#join-address", f"ada@example.org{ENTER}")
    wait_for(visitor, "document.querySelector('#join-requested')")
    joined = from_database(lambda: [row.address for row in Subscriber.objects.all()])
    assert joined == ["ada@example.org"]


@pytest.fixture
def _nobody(no_votes: None) -> Iterator[None]:
    yield
    from_database(lambda: Subscriber.objects.all().delete())


@pytest.mark.usefixtures("_nobody")
def test_a_visitor_does_everything_in_each_engine(engine: Window, address: str):
    a_visit(engine, address)


@pytest.mark.usefixtures("_nobody")
def test_a_visitor_does_everything_in_chromium(site: Site, address: str):
    a_visit(ChromiumWindow(site.window()), address)
