"""Fields that are typed wrong and addresses that were changed by hand: a sentence, and a page that goes on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize("page_name", ["motor", "look", "try", "simulators", "identify", "size"])
def test_an_address_that_was_changed_by_hand_is_still_a_page(page: Page, page_name: str):
    """Words that no menu has, texts that are no JSON, numbers that are none."""
    wrong = "u=foo&fk=foo&fb=foo&to=foo&kind=foo&rm=foo&map=foo&logs=foo&rig=~foo&task=~foo&fit=foo&est=foo&seed=foo"
    answer = page.goto(f"/{page_name}?m=maxon-re40-gp52c&{wrong}")
    assert answer is not None and answer.status == 200
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.locator("main .area, main .sentence.error").first).to_be_visible()


def test_a_time_that_is_cleared_is_an_error_and_typed_again_a_run(page: Page):
    """Of an error of the command line the page shows no option."""
    page.goto("/try?m=maxon-re40-148877")
    expect(page.get_by_text("steps;")).to_be_visible()
    duration, errors = page.get_by_label("duration", exact=True), page.locator(".sentence.error")
    duration.fill("")
    expect(errors).to_contain_text('duration: "" is not a quantity')
    duration.fill("20 ms")
    expect(page.get_by_text("200 steps")).to_be_visible()
    expect(errors).to_have_count(0)
    page.get_by_label("value", exact=True).fill("24,5V")
    expect(errors).to_contain_text("error: command, value")
    page.get_by_label("value", exact=True).fill("24V")
    expect(errors).to_have_count(0)
    page.get_by_label("supply [V]").fill("24 V")
    page.wait_for_function("location.search.includes('v=24&') || location.search.endsWith('v=24')")
    expect(errors).to_have_count(0)


def test_a_sheet_that_is_no_motor_yet_says_whose_pages_these_are(page: Page):
    """A ratio and an efficiency have examples; a figure that is missing and one that is wrong are said."""
    page.goto("/motor?tab=sheet&m=maxon-re40-148877")
    expect(page.get_by_label("efficiency", exact=True)).to_have_attribute("placeholder", "e.g. 75 %")
    page.get_by_label("nominal voltage").fill("24 V")
    area = page.get_by_role("region", name="Figures as they are printed").or_(page.locator("section.area")).first
    expect(area).to_contain_text("the winding needs resistance")
    expect(area).to_contain_text("all pages show maxon RE 40")
    page.get_by_label("nominal voltage").fill("24,0 V")
    expect(area).to_contain_text("1 figure cannot be read")


def test_gears_and_seeds_that_are_no_numbers_are_said(page: Page):
    """Before, they counted as not typed."""
    page.goto("/size")
    page.get_by_label("efficiency of a stage").fill("90 %")
    expect(page.locator(".sentence.warning")).to_contain_text("must be above 0 and at most 1")
    expect(page.get_by_role("button", name="Find motors")).to_be_disabled()
    page.get_by_label("efficiency of a stage").fill("0.9")
    page.get_by_label("gears for motors without one").fill("10; 30")
    expect(page.locator(".sentence.warning")).to_contain_text("'10;' is not a ratio")
    page.get_by_label("gears for motors without one").fill("10, 30")
    expect(page.get_by_role("button", name="Find motors")).to_be_enabled()


def test_on_a_phone_a_motor_that_is_clicked_comes_into_view(page: Page):
    """What is chosen stands below the catalogue there."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/motor")
    page.locator(".pick button").first.click()
    expect(page.locator(".chosen .motor-small").first).to_be_in_viewport()
