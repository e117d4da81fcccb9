"""Debian's Chromium, driven by Playwright. An error on the console or a breach of the policy fails a test."""

from __future__ import annotations

import json
import os
import shutil
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
#: Once every chart has its drawing, and the page was painted with it.
DRAWN = """async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  for (let i = 0; i < 600 && document.querySelector('.canvas:empty'); i++) await frame();
  await frame(); await frame(); }"""
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
    from playwright.sync_api import sync_playwright

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
        self.context.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
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
        self.page.get_by_role("heading", level=1).first.wait_for()

    def look(self, name: str) -> None:
        """Check the page as it is with axe, and keep pictures of it, wide and narrow."""
        page = self.page
        page.evaluate(DRAWN)
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
        found = page.evaluate(
            "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", RULES
        )
        told = [
            f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:4]]}"
            for rule in found["violations"]
        ]
        for width, viewport in (("wide", WIDE), ("narrow", NARROW)):
            page.set_viewport_size(viewport)
            page.evaluate(DRAWN)
            overflow = page.evaluate(TOO_WIDE)
            SHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SHOTS / f"{name}-{width}.png", full_page=True)
            if overflow > 0:
                told.append(f"at {viewport['width']} px the page is {overflow} px too wide")
        page.set_viewport_size(WIDE)
        assert told == [], f"{name}: " + json.dumps(told, indent=1)

    def at(self, *words: str) -> None:
        """Open a page by its address."""
        self.page.goto(f"{self.workbench.root}#/{'/'.join(words)}")
        self.page.get_by_role("heading", level=1).first.wait_for()

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
