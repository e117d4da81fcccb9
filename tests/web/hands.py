"""Two ways to do the same: by keyboard alone, and by mouse."""

from __future__ import annotations

import re
from typing import Any, Protocol

MOST_TABS = 150
NAME = r"""() => { const e = document.activeElement;
  if (!e || ['BODY', 'MAIN'].includes(e.tagName)) return '';
  const labelled = [...(e.labels ?? [])].map(l => l.textContent).join(' ');
  return (e.getAttribute('aria-label') || labelled || e.textContent || '').replace(/\s+/g, ' ').trim(); }"""


class Hand(Protocol):
    """What both can do."""

    def press(self, page: Any, name: str) -> None:
        """Press the button, or follow the link, whose name contains this."""

    def unfold(self, page: Any, name: str) -> None:
        """Open what is folded under these words."""

    def slide(self, page: Any, to: float) -> None:
        """Move the slider to this epsilon."""

    def spend(self, page: Any) -> None:
        """Answer the one question before a spend with yes."""


class Mouse:
    """Clicks."""

    def press(self, page: Any, name: str) -> None:
        named = re.compile(re.escape(name))
        page.get_by_role("button", name=named).or_(page.get_by_role("link", name=named)).first.click()

    def unfold(self, page: Any, name: str) -> None:
        page.locator("summary", has_text=name).click()

    def slide(self, page: Any, to: float) -> None:
        slider = page.get_by_role("slider")
        slider.scroll_into_view_if_needed()
        for _ in range(30):  # a click on the track jumps near; then step by step
            now = float(slider.get_attribute("aria-valuetext").removeprefix("epsilon "))
            if now == to:
                return
            box, last = slider.bounding_box(), int(slider.get_attribute("max"))
            place = int(slider.input_value()) + (1 if now < to else -1)
            page.mouse.click(box["x"] + 8 + (box["width"] - 16) * place / last, box["y"] + box["height"] / 2)
        raise AssertionError(f"The slider never came to {to}.")

    def spend(self, page: Any) -> None:
        page.get_by_role("button", name="Yes, spend").click()


class Keyboard:
    """Tab, Enter, arrows and the space bar."""

    def reach(self, page: Any, name: str) -> None:
        for _ in range(MOST_TABS):
            if name in page.evaluate(NAME):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"'{name}' cannot be reached by keyboard.")

    def press(self, page: Any, name: str) -> None:
        page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.wait_for()
        self.reach(page, name)
        page.keyboard.press("Enter")

    def unfold(self, page: Any, name: str) -> None:
        page.locator("summary", has_text=name).wait_for()
        self.reach(page, name)
        page.keyboard.press("Enter")

    def slide(self, page: Any, to: float) -> None:
        slider = page.get_by_role("slider")
        slider.wait_for()
        self.reach(page, "Privacy budget (epsilon) for this run")
        for _ in range(30):
            now = float(slider.get_attribute("aria-valuetext").removeprefix("epsilon "))
            if now == to:
                return
            page.keyboard.press("ArrowRight" if now < to else "ArrowLeft")
        raise AssertionError(f"The slider never came to {to}.")

    def spend(self, page: Any) -> None:
        assert "Spend" in page.evaluate(NAME), "the question has the focus, not an answer"
        page.keyboard.press("Enter")
        self.reach(page, "Yes, spend")
        page.keyboard.press("Enter")
        assert page.get_by_role("dialog").is_visible(), "Enter must never spend"
        page.keyboard.press("Space")
