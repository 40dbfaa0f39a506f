"""Every screen of the desk: axe finds nothing, the browser logs no error, nothing scrolls sideways,
each cell can be read, and a phone without scripts and with a keyboard reaches all of it.
"""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import FilePayload, Page, ViewportSize, expect

from reviews.models import Reviewer, TakeChange, Voiding, Vote
from shipskip.newsletter.models import Issue, Subscriber
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.desk_screens import ALL, IN_FULL, LISTS, OF_OPERATORS, ON_A_PHONE
from tests.browser.page_faults import boxes, findings, findings_in_both_colours, overflow_width
from tests.browser.site import DESKTOP, PHONE, TABLET, Site, follow, resize
from tests.browser.visitor import A, delete_visitor_data, from_database, make_votes
from tests.reviews.voters import void
from tools.models import Attribute, Fact, FactChange, SourceCheck, Tool
from tools.models.source_checks import check_key

LAPTOP = ViewportSize(width=1024, height=768)

WITH_MAIN_BUTTON = ("dashboard", "tool", "issues", "comparisons")
OF_DJANGO = ".theme-toggle:visible, .related-widget-wrapper-link.delete-related"
"""Buttons of Django's own admin that the desk does without."""
BELOW_THE_RULES = ("select2", "empty-table-header", "help-tooltip")
"""Parts that Django's own admin draws."""

HREFS = "(links) => links.map((link) => link.getAttribute('href'))"
HIDDEN_WITH_FOCUS = """() => {
  const element = document.activeElement, box = element.getBoundingClientRect();
  if (element === document.body) return "";
  const across = box.width && box.right > 0 && box.left < innerWidth;
  const seen = across && box.bottom > 0 && box.top < innerHeight;
  return seen ? "" : element.outerHTML.slice(0, 120);
}"""


@pytest.fixture(scope="module")
def keys(address: str) -> Iterator[dict[str, int]]:
    yield from_database(_make_rows)
    from_database(_delete_rows)


def _make_rows() -> dict[str, int]:
    make_votes()
    void(Vote.objects.filter(tool__slug=A), reason="One script, for a week")
    now, long = timezone.now(), Tool.objects.get(slug="long-name")
    tool = Tool.objects.get(slug="smollm3")
    issue = make.issue(about=[tool], since=now - timedelta(days=3_650), until=now, subject="A week")
    source = {"source": f"https://{'long-' * 10}host.example.com/", "quote": "q" * 300}
    question = Attribute.objects.filter(kind="yes-no").first()
    assert question
    make.fact(True, on=long, to=question, checked_on=now - timedelta(days=3_650), **source)
    key = check_key(**source)
    SourceCheck.objects.create(key=key, outcome="there", checked_at=now, there_at=now, **source)
    answers = {"subject": "s" * 120, "before": "b" * 300, "after": "a" * 300, "at": now}
    gone = make.tool(name="Gone")
    gone.remove(now)
    return {
        "long": long.pk,
        "version": long.history.latest().pk,
        "subscriber": make.subscriber(joined_at=now - timedelta(days=3)).pk,
        "issue": issue.pk,
        "sent": Issue.objects.archived()[0].pk,
        "vote": Vote.objects.all()[0].pk,
        "voiding": Voiding.objects.all()[0].pk,
        "fact_change": FactChange.objects.create(tool=long, **answers).pk,
        "take_change": make.take_change(
            on=long, by=Reviewer.objects.all()[0], reason="r" * 200, at=now
        ).pk,
        "gone": gone.pk,
        "question": question.pk,
    }


def _delete_rows() -> None:
    delete_visitor_data()
    Issue.objects.filter(subject="A week").delete()
    Tool.everything.filter(name="Gone").delete()
    Fact.objects.filter(tool__slug="long-name").delete()
    for model in (Subscriber, FactChange, TakeChange, SourceCheck):
        model.objects.all().delete()


@pytest.fixture(scope="module")
def desk(shared_site: Site) -> Page:
    page = shared_site.window(DESKTOP, reduced_motion="reduce")
    log_in(page, "ana")
    return page


def faults(page: Page, *, is_list: bool = False) -> list[str]:
    found = []
    for size in (TABLET, PHONE, DESKTOP, LAPTOP):  # axe begins with the last, ends with the first
        resize(page, size)
        if overflow_width(page):
            found.append(f"scrolls sideways at {size['width']} px")
        if is_list:
            found += [f"{cell} at {size['width']} px" for cell in _cells_out_of_sight(page)]
    return found + _by_our_rules(findings_in_both_colours(page, wide=LAPTOP, narrow=TABLET))


def faults_on_a_phone(page: Page) -> list[str]:
    """What axe finds in light and what does not fit, in a window as narrow as a phone."""
    resize(page, PHONE)
    sideways = ["scrolls sideways"] if overflow_width(page) else []
    return sideways + _by_our_rules(findings(page))


def _by_our_rules(found: list[str]) -> list[str]:
    return [each for each in found if not any(part in each for part in BELOW_THE_RULES)]


@pytest.mark.parametrize("name", IN_FULL | ON_A_PHONE)
def test_axe_finds_nothing_on_a_screen_it_fits_every_window_and_logs_nothing(
    shared_site: Site, desk: Page, keys: dict[str, int], name: str
):
    shared_site.errors.clear()
    path = ALL[name].format(**keys)
    desk.goto(path)
    assert desk.url.endswith(path)
    expect(desk.locator(OF_DJANGO)).to_have_count(0)
    if name in WITH_MAIN_BUTTON:
        expect(desk.locator(":is(.button, input).default:visible")).to_have_count(1)
    found = faults(desk, is_list=name in LISTS) if name in IN_FULL else faults_on_a_phone(desk)
    assert found == []
    assert shared_site.errors == []


def test_axe_finds_nothing_on_an_operators_screens_they_fit_a_phone_and_log_nothing(site: Site):
    page = site.window(PHONE, reduced_motion="reduce")
    log_in(page, "olga")
    found = {}
    for name, path in OF_OPERATORS.items():
        page.goto(path)
        assert page.url.endswith(path)
        found[name] = faults_on_a_phone(page)
    assert {name: each for name, each in found.items() if each} == {}
    assert site.errors == []


def _cells_out_of_sight(page: Page) -> list[str]:
    [frame] = boxes(page.locator(".results"))
    row = page.locator("#result_list tbody tr").first
    return [
        str(box)
        for box in boxes(row.locator("th, td:not(:empty)"))
        if not box["width"] or box["left"] < frame["left"] or box["right"] > frame["right"] + 1
    ]


def test_axe_finds_nothing_in_the_faults_and_the_changes_of_an_upload(desk: Page):
    rows = "nope,builder,140,ship,=1+1,yesterday\n" * 3
    send(desk, f"tool,reviewer,score,verdict,body,published\n{rows}")
    expect(desk.locator(".upload__faults")).to_contain_text("line 2, score")
    assert faults(desk) == []
    given = desk.request.get("/admin/exchange/download/catalogue/").json()
    take = next(take for tool in given["tools"] for take in tool["takes"])
    take["score"] = (take["score"] + 7) % 101
    send(desk, json.dumps(given))
    expect(desk.get_by_label("Reason for the changed scores")).to_be_visible()
    assert faults(desk) == []
    many = [{"slug": f"category-{at}", "name": f"Category {at}"} for at in range(200)]
    send(desk, json.dumps({"format": "shipskip-catalogue/3", "categories": many}))
    button = desk.get_by_role("button", name="Load and make these changes")
    expect(button).to_be_in_viewport(ratio=1)  # below a long list too
    follow(desk.get_by_role("link", name="Cancel"))
    assert "category-0" not in desk.request.get("/admin/exchange/download/catalogue/").text()


def send(page: Page, content: str) -> None:
    page.set_viewport_size(LAPTOP)
    page.goto("/admin/exchange/")
    page.get_by_label("File").set_input_files(
        FilePayload(name="given.txt", mimeType="text/plain", buffer=content.encode())
    )
    follow(page.get_by_role("button", name="Show what would change"))


def test_on_a_phone_lists_are_short_rows_and_forms_keep_save_in_sight_and_delete_apart(desk: Page):
    desk.set_viewport_size(PHONE)
    desk.goto("/admin/reviews/take/")
    heights = [box["height"] for box in boxes(desk.locator("#result_list tbody tr"))]
    assert sorted(heights)[len(heights) // 2] < 120
    filters = desk.locator("#changelist-filter")
    assert boxes(filters)[0]["top"] >= boxes(desk.locator("#result_list"))[0]["bottom"]
    desk.get_by_role("link", name="Filter", exact=True).click()
    expect(filters.get_by_role("link", name="Skeptic")).to_be_in_viewport()
    for path in ("/admin/tools/tool/1/change/", "/admin/reviews/take/1/change/"):
        desk.goto(path)
        assert boxes(desk.locator(".save-bar__group"))[0]["height"] < 70
        expect(desk.locator(".save-bar [name=_save]")).to_be_in_viewport(ratio=1)
        expect(desk.locator(".save-bar .deletelink")).not_to_be_in_viewport()


def test_the_votes_chart_is_shown_whole(desk: Page, keys: dict[str, int]):
    tool = from_database(lambda: Tool.objects.get(slug="smollm3").pk)
    desk.goto(f"/admin/tools/tool/{tool}/change/")
    desk.get_by_text("Votes", exact=True).last.click()
    for size in (PHONE, DESKTOP):
        desk.set_viewport_size(size)
        today = boxes(desk.locator(".votes-chart rect.votes-chart__counted"))[-1]
        [frame] = boxes(desk.locator(".field-votes_by_day"))
        assert today["height"] > 10, size
        assert frame["left"] <= today["left"] <= today["right"] <= frame["right"], size


def test_every_screen_of_the_menu_works_on_a_phone_without_scripts_and_by_keyboard(site: Site):
    page = site.new_window(PHONE, java_script_enabled=False)
    log_in(page, "ana")
    page.goto("/admin/")
    found = _hidden_with_focus(page, keys=40)  # through the menu, which is on every screen
    menu = page.get_by_role("navigation", name="Desk").get_by_role("link")
    in_menu, screens = set(), ["/admin/"]
    for screen in screens:
        page.goto(screen)
        section = menu.evaluate_all(HREFS)
        in_menu |= set(section)  # with the screens of the section that is open
        links = [page.locator(".addlink:visible, .object-tools .addlink")]
        links.append(page.locator("#result_list tbody th a"))
        found_here = [href for each in links for href in each.evaluate_all(HREFS)[:1]]
        more = section + (found_here if screen in in_menu else [])
        screens += [one for one in dict.fromkeys(more) if one not in screens]
        if overflow_width(page):
            found.append(f"{screen} scrolls sideways")
        page.locator("#content-start").focus()
        found += _hidden_with_focus(page, keys=12)
    assert found == []
    assert len(in_menu) > 10


def _hidden_with_focus(page: Page, keys: int) -> list[str]:
    """What gets the focus by the next `keys` tabs and is out of sight."""
    found = []
    for _ in range(keys):
        page.keyboard.press("Tab")
        if hidden := page.evaluate(HIDDEN_WITH_FOCUS):
            found.append(f"{page.url}: hidden with the focus: {hidden}")
    return found
