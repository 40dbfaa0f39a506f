"""The sliders of a reader's own panel: by keyboard, with the back button, without JavaScript."""

import re

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.site import PHONE, follow, next_frame

SHIFTS = """new PerformanceObserver((list) => { window.shifts = list.getEntries().length; })
  .observe({ type: "layout-shift" })"""


def test_a_slider_moved_by_keyboard_changes_the_answer_and_the_back_button_undoes_it(light: Page):
    light.set_viewport_size(PHONE)
    light.goto(pages.COMPARISON)
    ours = light.locator(".answer").inner_text()
    follow(light.get_by_role("link", name="Weigh them yourself"))
    slider = light.get_by_role("slider", name="Skeptic")
    slider.focus()
    light.evaluate(SHIFTS)
    top = slider.bounding_box()
    slider.press("ArrowLeft")
    expect(light.locator(".own-panel__ours")).to_have_text(f"Our panel: {ours}")
    light.wait_for_url("**?weigh-skeptic=0")
    expect(slider).to_be_focused()
    expect(light.locator("#by-skeptic")).to_contain_text("not counted in your panel")
    assert slider.bounding_box() == top
    answer = light.locator(".answer").inner_text()
    expect(light.locator("#announce")).to_have_text(f"Your panel: Skeptic ×0. {answer}")
    tools = light.get_by_role("navigation", name="Main").get_by_role("link", name="Tools")
    expect(tools).to_have_attribute("href", re.compile(r"/tools/\?weigh-skeptic=0$"))
    next_frame(light)
    assert not light.evaluate("window.shifts")
    slider = light.get_by_role("slider", name="PM")
    slider.press("ArrowRight")
    slider.press("ArrowRight")  # two quick presses end with the second
    light.wait_for_url("**&weigh-pm=3")
    expect(light.locator(".own-panel__summary")).to_contain_text("PM ×3")
    expect(slider).to_have_value("3")
    slider.press("ArrowLeft")
    light.wait_for_url("**&weigh-pm=2")
    light.go_back()
    expect(light.locator(".own-panel__summary")).to_contain_text("PM ×3")
    expect(light.get_by_role("slider", name="PM", include_hidden=True)).to_have_value("3")


def test_in_a_list_sliders_keep_the_filters_and_filters_keep_the_weights(light: Page):
    light.goto("/tools/")
    follow(light.get_by_role("link", name="Your own panel"))
    light.get_by_role("slider", name="Skeptic").press("ArrowLeft")
    light.wait_for_url("**/tools/?*weigh-skeptic=0")
    expect(light.locator("#announce")).to_have_text(re.compile("^Your panel: Skeptic ×0."))
    light.get_by_role("checkbox", name="Freemium").check()
    light.wait_for_url("**entry=freemium&*weigh-skeptic=0")
    light.get_by_role("slider", name="PM").press("ArrowRight")
    light.wait_for_url("**entry=freemium&*weigh-skeptic=0&weigh-pm=2")
    expect(light.get_by_role("checkbox", name="Freemium")).to_be_checked()
    expect(light.locator(".own-panel__summary")).to_contain_text("Your panel: Skeptic ×0, PM ×2.")
    first = light.locator(".tool-row__name a").first
    expect(first).to_have_attribute("href", re.compile("weigh-pm=2"))


def test_in_a_category_links_outside_the_list_get_the_weights_too(light: Page):
    light.goto(f"{pages.OPEN['category']}?weigh=own")
    light.get_by_role("slider", name="Skeptic").press("ArrowLeft")
    light.wait_for_url("**?weigh-skeptic=0")
    outside = "#masthead-compare, #masthead-tools, #breadcrumb a, #matrix a, .footer__links a"
    links = (
        light.locator(outside)
        .filter(visible=True)
        .evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    )
    there = [link for link in links if re.match("/(compare|tools|categories)/", link)]
    assert len(there) > 6
    assert [link for link in there if not link.endswith("?weigh-skeptic=0")] == []
    expect(light.get_by_role("slider", name="Skeptic")).to_be_focused()
