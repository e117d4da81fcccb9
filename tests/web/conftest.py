"""Debian's Chromium, driven by Playwright. An error on the console or a breach of the policy fails a test."""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64decode
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.web.workbench import ROOT, Workbench

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SIZE = f"[document.documentElement.scrollWidth, document.documentElement.scrollHeight, {TOO_WIDE}]"
#: A page that is there: until its program has come, its heading is only announced.
HEADED = "main h1:not(.coming)"
#: Only what is told, not all that axe found on its way: it is much for a large page.
VIOLATIONS = """async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations']});
  const shown = node => node.html.slice(0, 160);
  return found.violations.map(rule => [rule.id, rule.help, rule.nodes.slice(0, 4).map(shown)]); }"""
#: Once every chart has its drawing and every graph is in view, and the page was painted with them.
DRAWN = """async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  await frame(); await frame();
  const coming = '.canvas:empty, .canvas[aria-busy=true]';
  for (let i = 0; i < 600 && document.querySelector(coming); i++) await frame();
  await frame(); await frame(); }"""
#: Only against a test that would never end: nothing depends on how fast the machine is.
PATIENCE = 300_000
SHOTS = ROOT / "browser-tests"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 400, "height": 850}


def _needed(found: object, what: str) -> None:
    if not found:
        if os.environ.get("CI"):
            pytest.fail(f"{what} is missing, and the CI must run these tests.")
        pytest.skip(f"{what} is missing: make debian, python web/build.py --tools")


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep a picture of the page on which a test failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    _needed(chromium, "Chromium")
    _needed(AXE.is_file(), "axe-core")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def workbench(tmp_path_factory) -> Iterator[Workbench]:
    """One workbench for all that open tables of their own in it: starting a server is slow."""
    made = Workbench(tmp_path_factory.mktemp("workbench") / "home")
    made.start()
    yield made
    made.stop()


class Visitor:
    """A person with a browser: opens pages, looks at them, and notices what goes wrong."""

    def __init__(self, browser: Any, workbench: Workbench, viewport: dict[str, int]) -> None:
        self.workbench = workbench
        self.context = browser.new_context(viewport=viewport, accept_downloads=True, reduced_motion="reduce")
        self.context.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        self._tools: tuple[Any, Any] | None = None
        self.page = self.tab()

    def tab(self) -> Any:
        page = self.context.new_page()
        page.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " e => console.error('CSP ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample))"
        )
        page.on("console", lambda said: self._hear(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._hear(f"uncaught: {error}"))
        return page

    def _hear(self, text: str) -> None:
        self.complaints.append(text)

    def enter(self) -> None:
        """Sign in with the key of a workbench that was just started, or with the cookie that is there."""
        self.page.goto(self.workbench.address)
        self.page.locator(HEADED).first.wait_for()

    def check(self, name: str) -> None:
        """Check the page as it is with axe."""
        page = self.page
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
        violations = page.evaluate(VIOLATIONS, RULES)
        told = [f"{rule}: {help}: {nodes}" for rule, help, nodes in violations]
        assert told == [], f"{name}: " + json.dumps(told, indent=1)

    def look(self, name: str) -> None:
        """Check the page as it is with axe, and keep pictures of it, wide and narrow."""
        page = self.page
        page.evaluate(DRAWN)
        self.check(name)
        widest = {"wide": self._picture(f"{name}-wide")}
        page.set_viewport_size(NARROW)
        page.evaluate(DRAWN)
        widest["narrow"] = self._picture(f"{name}-narrow")
        page.set_viewport_size(WIDE)
        page.evaluate(DRAWN)
        assert max(widest.values()) <= 0, f"{name} is wider than the window, in px: {widest}"

    def _picture(self, name: str) -> int:
        """Keep the whole page, packed quickly rather than well; by how much it is wider than the window."""
        width, height, over = self.page.evaluate(SIZE)
        whole = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        if self._tools is None or self._tools[0] is not self.page:
            self._tools = self.page, self.context.new_cdp_session(self.page)
        taken = self._tools[1].send(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "optimizeForSpeed": True, "clip": whole}
        )
        SHOTS.mkdir(exist_ok=True)
        (SHOTS / f"{name}.png").write_bytes(b64decode(taken["data"]))
        return over

    def at(self, *words: str) -> None:
        """Open a page by its address; one that an earlier test has left open is read again."""
        address = f"{self.workbench.root}#/{'/'.join(words)}"
        if self.page.url == address:
            self.page.goto("about:blank")
        self.page.goto(address)
        self.page.locator(HEADED).first.wait_for()

    def call(self, method: str, path: str, body: Any = None, text: str | None = None) -> Any:
        """Ask the API as this person's browser would, without a page."""
        sent = text if text is not None else None if body is None else json.dumps(body)
        answer = self.page.request.fetch(
            f"{self.workbench.root}api/v1{path}",
            method=method,
            data=None if sent is None else sent.encode(),  # as it is
            headers={
                "Origin": self.workbench.root.rstrip("/"),
                "Content-Type": "application/json",
                "Idempotency-Key": uuid4().hex,  # each call is a decision of its own
            },
        )
        assert answer.ok, answer.text()
        return answer.json()

    def quiet(self) -> None:
        """Nothing was on the console but what the test expects there."""
        unexpected = [text for text in self.complaints if not any(part in text for part in self.expected)]
        assert unexpected == []


@pytest.fixture(scope="session")
def _person(browser, workbench) -> Iterator[Visitor]:
    person = Visitor(browser, workbench, WIDE)
    person.enter()
    yield person
    person.context.close()


@pytest.fixture
def visitor(request, _person) -> Iterator[Visitor]:
    """Somebody who has signed in; whatever the browser complained about fails the test in the end."""
    _person.complaints.clear()
    _person.expected = ()
    yield _person
    if request.node.stash.get(FAILED, False):
        _person.page.screenshot(path=SHOTS / f"failed-{request.node.name}.png", full_page=True)
    _person.quiet()


@pytest.fixture(scope="session")
def _untouched() -> Iterator[list[Visitor]]:
    """Whoever stands before a workbench in which nothing has been done yet: it serves the next one, too."""
    found: list[Visitor] = []
    yield found
    for person in found:
        person.context.close()
        person.workbench.stop()


@pytest.fixture
def newcomer(browser, _untouched, tmp_path_factory) -> Iterator[Visitor]:
    """Somebody before a workbench in which nothing has been done yet."""
    if _untouched:
        person = _untouched.pop()
    else:
        made = Workbench(tmp_path_factory.mktemp("newcomer") / "home")
        made.start()
        person = Visitor(browser, made, WIDE)
        person.enter()
    yield person
    if person.call("GET", "/datasets"):
        person.context.close()
        person.workbench.stop()
    else:
        _untouched.append(person)
    person.quiet()
