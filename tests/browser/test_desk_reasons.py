"""The public reason of a changed score is in the history, and a publisher corrects it."""

from playwright.sync_api import expect

from reviews.models import Take, TakeChange
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, unfold
from tests.browser.visitor import B, from_database

WRONG, RIGHT = "Princing trippled in May", "Pricing tripled in May"


def test_a_public_reason_is_corrected_and_both_are_in_the_history(site: Site):
    take = from_database(lambda: Take.objects.filter(tool__slug=B).select_related("tool").first())
    assert take
    assert take.score
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto(f"/admin/reviews/take/{take.pk}/change/")
    page.get_by_label("Score").fill(str(take.score - 1))
    page.get_by_label("Reason for the change").fill(WRONG)
    follow(page.get_by_role("button", name="Save and publish the change"))
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(f"/admin/reviews/take/{take.pk}/history/")
    expect(page.locator(".history__entry").first).to_contain_text(WRONG)

    page.goto(f"/admin/tools/tool/{take.tool_id}/change/")
    unfold(page)
    follow(page.get_by_role("link", name="Public record", exact=True).first)
    follow(page.get_by_role("row", name=WRONG).get_by_role("link").first)
    page.get_by_label("Reason:").fill(RIGHT)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("row", name=RIGHT)).to_be_visible()

    page.goto(f"/admin/tools/tool/{take.tool_id}/history/")
    newest = page.locator(".history__entry").first
    expect(newest).to_contain_text(f"Public reason corrected: “{WRONG}” → “{RIGHT}”")
    expect(newest).to_contain_text("by ana")
    reader = site.window(DESKTOP)
    reader.goto(f"/tools/{B}/")
    expect(reader.locator("#changes")).to_contain_text(RIGHT)
    expect(reader.locator("#changes")).not_to_contain_text(WRONG)
    from_database(lambda: TakeChange.objects.all().delete())
    from_database(lambda: Take.objects.filter(pk=take.pk).update(score=take.score))
