"""What is wrong with the page that a window shows: the checks of every page and screen."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page, ViewportSize

from tests.browser.site import DESKTOP, PHONE, resize

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ALL_RULES: dict[str, Any] = {"runOnly": {"type": "tag", "values": RULES}}
OF_LANDMARKS = {"region": {"enabled": False}, "landmark-one-main": {"enabled": False}}
IN_A_FRAME: dict[str, Any] = ALL_RULES | {"rules": OF_LANDMARKS}
"""The landmarks of a page with frames are its own."""
OPTIONS: dict[str, Any] = {
    "resultTypes": ["violations"],
    "preload": False,  # no media to fetch, and no styles of other sites
}
ON_A_PHONE_IN_DARK = {
    "runOnly": {
        "type": "rule",
        "values": [
            *("color-contrast", "link-in-text-block", "target-size"),
            *("aria-hidden-focus", "scrollable-region-focusable"),
        ],
    }
}
"""The rules that colours or a narrow window may break where the page in light breaks none."""

LANDMARKS = ["HEADER", "NAV", "MAIN", "H1", "FOOTER"]

# Texts that overlap, stand closer than 2 px, are cut without an ellipsis, or are wider than their
# box or the window; short words that break; a masthead that does not end where the content does.
# One pass over the lines of all texts: what an element means for its texts is found once. A line is
# as high as its small letters, as line boxes may overlap. What scrolls out of its box is not seen.
LAYOUT_FAULTS = """() => {
  scrollTo({ top: 0, behavior: "instant" });  // what sticks to an edge lies over nothing there
  const root = document.documentElement, width = root.clientWidth;
  const word_or_number = /[\\p{L}\\p{N}]+(?:[.,][\\p{L}\\p{N}]+)*/gu;
  const found = new Set(), places = new Map(), texts = [], range = document.createRange();
  const name = (one) => `${one.tagName.toLowerCase()}.${one.getAttribute("class") || ""}`;
  const place = (element) => {
    if (places.has(element)) return places.get(element);
    const up = element === document.body ? null : place(element.parentElement);
    const style = getComputedStyle(element), { display } = style;
    const drawn = element instanceof SVGElement && element.ownerSVGElement;
    const line = up && (drawn || /^(inline|contents)$/.test(display));
    const one = {
      unseen: up?.unseen || style.opacity === "0" || style.clipPath === "inset(50%)",
      size: parseFloat(style.fontSize),
      box: line ? up.box : element,
      flow: up && (drawn || /^(inline|contents)/.test(display)) ? up.flow : element,
      layer: /fixed|sticky/.test(style.position) && style.bottom !== "auto" ? element : up?.layer,
      clips: up ? up.clips : [],
    };
    if (!line) {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      Object.assign(one, { left, right, top, bottom });
      one.inside = right - left - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      one.cuts = !shortened && !/auto|scroll/.test(style.overflowX) && name(element);
      if (up && style.overflowX !== "visible") one.clips = [...one.clips, one];
    }
    places.set(element, one);
    return one;
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!/\\S/.test(node.data) || /^(SCRIPT|STYLE|OPTION|NOSCRIPT)$/.test(parent.tagName)) continue;
    range.selectNodeContents(node);
    const lines = range.getClientRects();
    if (!lines.length || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const at = place(parent), box = place(at.box);
    if (at.unseen) continue;
    const says = () => `“${node.data.trim().slice(0, 40)}” in ${name(parent)}`;
    for (const line of lines) {
      if (line.width < 1) continue;
      let { left, right } = line, clipped = false;
      let top = (line.top + line.bottom) / 2 - at.size * 0.36, bottom = top + at.size * 0.66;
      for (const clip of at.clips) {
        const lost = Math.max(
          clip.left - left, right - clip.right, clip.top - top, bottom - clip.bottom);
        if (lost > 1.5 && clip.cuts) found.add(`${says()} is cut by ${clip.cuts}`);
        clipped ||= lost > 1.5;
        left = Math.max(left, clip.left);
        right = Math.min(right, clip.right);
        top = Math.max(top, clip.top);
        bottom = Math.min(bottom, clip.bottom);
      }
      if (right - left < 1 || bottom - top < 1) continue;
      if (left < -1 || right > width + 1) found.add(`${says()} is outside`);
      if (!clipped && (line.left < box.left - 1.5 || line.right > box.right + 1.5))
        found.add(`${says()} is wider than ${name(at.box)}`);
      texts.push({ left, right, top, bottom, at, node, says });
    }
    if (lines.length < 2 || parent.closest(".prose table")) continue;
    for (const { 0: word, index } of node.data.matchAll(word_or_number)) {
      if (word.length < 3 || word.length > 12 || word.length * at.size < box.inside) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const parts = range.getClientRects();
      if (parts.length > 1 && parts[0].bottom < parts[1].bottom - 3)
        found.add(`“${word}” breaks in ${says()}`);
    }
  }

  texts.sort((one, other) => one.top - other.top);
  let above = [];
  for (const text of texts) {
    above = above.filter((other) => other.bottom > text.top + 1);
    for (const other of above) {
      const apart = other.at.flow === text.at.flow ? -1 : 2;
      if (text.left < other.right + apart && other.left < text.right + apart
        && other.node !== text.node && other.at.layer === text.at.layer)
        found.add(`${other.says()} and ${text.says()} overlap`);
    }
    above.push(text);
  }

  const masthead = document.querySelector(".masthead");
  if (masthead?.querySelector("nav").checkVisibility()) {
    const main = document.querySelector("main"), style = getComputedStyle(main);
    const box = main.getBoundingClientRect();
    const ends = texts.filter((text) => masthead.contains(text.node));
    const ahead = Math.min(...ends.map((text) => text.left)) - box.left;
    const behind = box.right - Math.max(...ends.map((text) => text.right));
    if (Math.abs(ahead - parseFloat(style.paddingLeft)) > 1
      || Math.abs(behind - parseFloat(style.paddingRight)) > 1)
      found.add(`the masthead begins at ${ahead} px and ends ${behind} px before the content does`);
  }
  if (root.scrollWidth > width) found.add("the page scrolls sideways");
  return [...found];
}"""

# A target of a finger is at least 44 px high and wide: from the middle of each target to where
# another one, or none, would be tapped. The browser takes long to say what is hit, so this halves
# the distance. Exempt by WCAG 2.5.8 are a link within a sentence, and a mark of a picture, whose
# table has the same link. A label belongs to its field, and a field to its label.
SMALL = """(part) => {
  const targets = "a[href], button, input, select, summary, label:has(input)";
  const least = 43, found = [];
  const within = (link) => {
    const text = link.closest("p, dd, li, td, small") || link.parentElement;
    const rest = text.innerText.replace(link.innerText, "").trim();
    return getComputedStyle(link).display === "inline" && rest.length > 20 &&
      !link.closest(".breadcrumb, .small-text, nav");
  };
  const own = (one, at) => at && (one.contains(at) || at.closest("label")?.control === one);
  const reach = (one, x, y, dx, dy, most) => {
    const hit = (steps) => own(one, document.elementFromPoint(x + dx * steps, y + dy * steps));
    if (!hit(0)) return -1;
    if (hit(most)) return most;
    let inside = 0, outside = most;
    while (outside - inside > 1) {
      const middle = (inside + outside) >> 1;
      if (hit(middle)) inside = middle;
      else outside = middle;
    }
    return inside;
  };
  const size = (one, x, y, dx, dy) => {
    const before = reach(one, x, y, -dx, -dy, least);
    return before + 1 + reach(one, x, y, dx, dy, least - before);
  };
  for (const one of document.querySelector(part || "body").querySelectorAll(targets)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled) continue;
    if (one.matches("[tabindex='-1'], .skip-link") || one.closest(".visually-hidden")) continue;
    if (one.closest("label") && one.matches("input")) continue;
    if (one.closest("svg") || (one.matches("a") && within(one))) continue;
    one.scrollIntoView({ block: "center", inline: "center" });
    const box = (one.querySelector("bdi:not(.visually-hidden *)") || one).getClientRects()[0];
    const x = box.left + Math.min(box.width / 2, 20), y = box.top + box.height / 2;
    const wide = size(one, x, y, 1, 0), high = size(one, x, y, 0, 1);
    const name = `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 30)}`;
    if (Math.min(wide, high) < least) found.push(`${name}: ${wide} by ${high}`);
  }
  return [...new Set(found)];
}"""

# Rows of a list are alike, and axe needs up to 3 s of processor time for fifty. Its slowest rule is
# that of contrast: it looks only at the first of the texts that have the same elements, classes and
# colours from the text up to the page.
RUN = """async ([within, options]) => {
  document.querySelectorAll(
    ":is(#result_list, .coverage__table, .matrix) tbody tr:nth-child(n + 6)," +
    ":is(.tool-row, .take-row, .pair, .name-grid li):nth-child(n + 6)"
  ).forEach((row) => row.remove());
  await Promise.allSettled(document.getAnimations().map((one) => one.finished));
  const looks = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    delete element.dataset.look;
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!text && !element.matches("input, select, textarea")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, textShadow];
    for (let one = element; one; one = one.parentElement) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(one);
      look.push(one.tagName, one.className, backgroundColor, backgroundImage, opacity, position);
    }
    if (looks.has(look.join())) continue;
    looks.add(look.join());
    element.dataset.look = "";
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
  return (await axe.run(within, options)).violations;
}"""

ROWS = ".tool-row, .pair, .name-grid li, .reviewers__row, .issues__row, .categories li"
# Each row is one target, except for the controls inside it.
NOT_WHOLE = """(rows) => rows.filter((row) => {
  row.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = row.getBoundingClientRect();
  const link = row.querySelector("a[href]");
  return [[left + 3, top + 5], [right - 3, top + 5], [(left + right) / 2, (top + bottom) / 2]].some(
    ([x, y]) => !link.contains(document.elementFromPoint(x, y)));
}).map((row) => row.textContent.trim().slice(0, 40))"""

FIELD = "input:not([type=hidden], [tabindex='-1'])"
MARK = "g[tabindex='0']"
"""A reviewer's mark on a score strip, which shows its score under the focus."""
INTERACTIVE = f"a[href], button:not([tabindex='-1']), {FIELD}, select, textarea, summary, {MARK}"

# For the focused element: its index among all usable elements, and what hides it or its outline.
IN_FOCUS = """(interactive) => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const all = [...document.querySelectorAll(interactive)].filter(seen);
  const style = getComputedStyle(element);
  const faults = [];
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    faults.push("no outline");
  // The box of a mark also holds its score, which shows beside it.
  const shape = element.querySelector(":scope > circle, :scope > rect") || element;
  const box = [...shape.getClientRects()].find((one) => one.width > 0);
  const [x, y] = box ? [box.left + box.width / 2, box.top + box.height / 2] : [-1, -1];
  const hit = document.elementFromPoint(x, y);
  if (!hit || !(element.contains(hit) || hit.contains(element))) faults.push("out of sight");
  const name = element.outerHTML.slice(0, 120);
  return { place: all.indexOf(element), faults: faults.map((fault) => `${fault}: ${name}`) };
}"""

WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    shifts.push(entry.value + " " + entry.sources.map((s) => s.node && s.node.nodeName).join());
}).observe({ type: "layout-shift", buffered: true });
"""


def findings(page: Page, within: str = "html", rules: dict[str, Any] = ALL_RULES) -> list[str]:
    """What axe finds on the page, one element per line; within a part of it, axe leaves out its
    rules of whole pages.
    """
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(RUN, [within, OPTIONS | rules])
    return [
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


def findings_in_both_colours(
    page: Page,
    *,
    wide: ViewportSize = DESKTOP,
    narrow: ViewportSize = PHONE,
    rules: dict[str, Any] = ALL_RULES,
    dark_part: str = "html",
) -> list[str]:
    """What axe finds in a wide window in light, and in a narrow one in dark colours.

    Colours do not depend on the width, and sizes and places do not depend on the colours. So two
    runs of axe find everything that four would.
    """
    resize(page, wide)
    found = findings(page, rules=rules)
    resize(page, narrow)
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in findings(page, dark_part, ON_A_PHONE_IN_DARK)]
    page.emulate_media(color_scheme="light")
    return found


def overflow_width(page: Page) -> int:
    root = "document.documentElement"
    width: int = page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
    return width


def landmark_faults(page: Page) -> list[str]:
    """The landmarks and the headings of the first level, unless the page has one of each."""
    places = page.get_by_role("navigation", name="Main")
    for role in ("banner", "main", "contentinfo"):
        places = places.or_(page.get_by_role(role))
    places = places.or_(page.get_by_role("heading", level=1))
    found: list[str] = places.evaluate_all("(all) => all.map((one) => one.tagName)")
    return [] if found == LANDMARKS else found or ["no landmarks"]


def keyboard_faults(page: Page, key: str) -> list[str]:
    """Press `key` (Tab, or Shift+Tab) until the focus leaves the page: what it passes by or takes
    in another order, and where it is covered or has no outline.
    """
    backwards = key != "Tab"
    visible = page.locator(f":is({INTERACTIVE}):visible")
    expected = list(range(visible.count()))
    if backwards:
        visible.last.focus()
        expected = expected[-2::-1]
    places: list[int] = []
    faults: list[str] = []
    for _ in range(400):
        page.keyboard.press(key)
        found: dict[str, Any] | None = page.evaluate(IN_FOCUS, INTERACTIVE)
        if found is None or found["place"] in places:
            break
        places.append(found["place"])
        faults += found["faults"]
    return faults + ([f"{key} goes through {places}"] if places != expected else [])


def boxes(elements: Locator) -> list[dict[str, Any]]:
    """The boxes of these elements, in the page's pixels."""
    found: list[dict[str, Any]] = elements.evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert found
    return found


def side_by_side(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two boxes start at one height, the first ending where the second begins or before."""
    return bool(abs(a["top"] - b["top"]) < 1 and a["right"] <= b["left"] + 1)
