"""The concepts in the picture of paths link to their own pages."""

import re

import pytest
from playwright.sync_api import expect

from tests.truthhypo.page.test_pages import page


def test_the_boxes_of_a_picture_link_to_pages_of_this_site(service, judged):
    for path in (judged, "/chains?head=simvastatin&tail=cholesterol"):
        pictures = re.findall(r"<svg.*?</svg>", page(service, path).text, re.DOTALL)
        links = re.findall(r'<a href="([^"]+)"', "".join(pictures))
        assert len(links) == "".join(pictures).count('class="node"') > 1
        for link in set(links):
            assert link.startswith("/concepts/")
            page(service, link)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_box_is_followed_by_mouse_and_by_keyboard(service, judged, tab, script):
    tabbed = tab(service.address, java_script_enabled=script)
    tabbed.goto(judged)
    box = tabbed.locator("svg a").first
    name = box.locator("text").text_content()
    box.click()
    expect(tabbed.locator("h1")).to_have_text(name)
    tabbed.go_back()
    tabbed.locator("svg a").first.focus()
    tabbed.keyboard.press("Enter")
    expect(tabbed.locator("h1")).to_have_text(name)
