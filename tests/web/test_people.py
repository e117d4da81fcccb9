"""Several people at one workbench: users, roles, tokens, approval; and what a contributor sees."""

from __future__ import annotations

import pytest

from tests.web.conftest import WIDE, Visitor
from tests.web.project import go_for_real, set_epsilon, spend
from tests.web.workbench import Workbench

PASSWORD = "a long enough password"
#: Where something is spent, and nothing is foretold before: a forecast takes the server some seconds.
CHEAP = ("mine", "prepare")


def make_user(page, name: str) -> None:
    page.get_by_label("Name", exact=True).last.fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Add the user").click()
    page.get_by_text(f"{name} can sign in now.").wait_for()


def add(page, study: str, name: str, role: str) -> None:
    card = page.get_by_role("region", name=study)
    card.get_by_label("Add somebody").fill(name)
    card.get_by_label(f"Their role in {study}").select_option(role)
    card.get_by_role("button", name="Add").click()
    page.get_by_text(f"{name} is {role} now.").wait_for()


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    """A workbench of its own: the page of people shows everybody and every study."""
    made = Workbench(tmp_path_factory.mktemp("people") / "home")
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def _person(browser, workbench):
    person = Visitor(browser, workbench, WIDE)
    person.enter()
    yield person
    person.context.close()


@pytest.fixture(scope="module")
def careful(_person) -> str:
    """A study whose runs need the owner's word, with an analyst and a contributor, and a table; its id."""
    page = _person.page
    _person.at("people")
    page.get_by_text("No run is waiting for you.").wait_for()
    for name in ("ann", "carl"):
        make_user(page, name)
    page.get_by_label("Name", exact=True).first.fill("Careful")
    page.get_by_role("button", name="Start").click()
    add(page, "Careful", "ann", "analyst")
    add(page, "Careful", "carl", "contributor")
    page.get_by_label("Name", exact=True).first.fill("Other")  # a second study, so that there is a choice
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Other").wait_for()
    _person.look("people")
    _person.at("")
    page.get_by_label("What you open goes into").select_option("Careful (runs need approval)")
    page.get_by_role("button", name="Open: The clinic").click()
    for name in ("bmi", "glucose"):
        page.get_by_role("button", name=f"Yes, {name} is public").click()
    page.get_by_role("button", name="Register this").click()
    page.get_by_role("heading", name="Classify").wait_for()
    return page.url.split("/data/")[1].split("/")[0]


@pytest.fixture(scope="module")
def _ann(browser, workbench, careful):
    yield from signed_in(browser, workbench, "ann")


@pytest.fixture
def ann(_ann):
    yield _ann
    _ann.quiet()


@pytest.fixture
def carl(browser, workbench, careful):
    yield from signed_in(browser, workbench, "carl")


def signed_in(browser, workbench, name):
    person = Visitor(browser, workbench, WIDE)
    person.expected = ("status of 401",)
    person.page.goto(workbench.root)
    person.page.get_by_label("Name").fill(name)
    person.page.get_by_label("Password").fill(PASSWORD)
    person.page.get_by_role("button", name="Sign in").click()
    person.page.get_by_role("heading", name="Your projects").wait_for()
    yield person
    person.quiet()
    person.context.close()


def ask_the_owner(person: Visitor, dataset: str, epsilon: str) -> None:
    page = person.page
    person.at("data", dataset, *CHEAP)
    go_for_real(page)
    set_epsilon(page, epsilon)  # the last one may be too much by now
    page.get_by_text("has to approve this run").wait_for()
    page.get_by_role("button", name=f"Ask the owner: spends ε = {epsilon} ").click()
    page.get_by_role("button", name="Yes, spend").click()
    page.get_by_role("heading", name="Waiting for the owner").wait_for()
    assert "Nothing is spent" in page.inner_text("main")


def test_a_run_waits_for_the_owner_and_is_approved(visitor, ann, careful):
    ask_the_owner(ann, careful, "0.2")
    ann.look("run-approval")
    visitor.at("people")
    page = visitor.page
    page.get_by_role("button", name="Approve: spends for good, the run of ann").wait_for()
    page.get_by_role("link", name="Bounds", exact=True).wait_for()
    visitor.look("people-waiting")
    page.get_by_role("button", name="Approve: spends for good, the run of ann").click()
    said = page.get_by_role("dialog").inner_text()
    assert "Spend ε = 0.2 for good?" in said
    assert "cannot be undone" in said
    assert "times out of 100" in said
    visitor.look("people-approve")
    yes = page.get_by_role("button", name="Yes, spend ε = 0.2")
    yes.press("Enter")
    assert yes.is_visible(), "Enter must never spend"
    yes.press("Space")
    page.get_by_text("No run is waiting for you.").wait_for()
    ann.page.get_by_role("heading", name="In words").wait_for()


def test_a_run_that_is_refused_costs_nothing(visitor, ann, careful):
    ask_the_owner(ann, careful, "0.3")
    visitor.at("people")
    visitor.page.get_by_role("button", name="Look again").click()
    visitor.page.get_by_role("button", name="Refuse the run of ann").click()
    visitor.page.get_by_text("No run is waiting for you.").wait_for()
    ann.page.get_by_role("heading", name="Refused").wait_for()
    assert "Nothing was spent" in ann.page.inner_text("main")
    ann.look("run-refused")


def test_two_people_on_one_budget(visitor, ann, careful):
    """Both see enough left; what one has spent, the other is refused, and nothing is overspent."""
    page = visitor.page
    ask_the_owner(ann, careful, "0.9")
    visitor.at("data", careful, *CHEAP)
    go_for_real(page)
    spend(page, "1")
    page.get_by_role("heading", name="In words").wait_for()
    visitor.at("people")
    page.get_by_role("button", name="Approve: spends for good, the run of ann").click()
    page.get_by_role("heading", name="This run no longer fits").wait_for()
    page.get_by_role("button", name="Approve it: it will be refused").click()
    ann.page.get_by_role("heading", name="Refused").wait_for()
    assert "Nothing was spent" in ann.page.inner_text("main")
    ann.look("run-two-people")


def test_a_token_is_shown_once_and_revoked(visitor, careful):
    page = visitor.page
    visitor.at("people")
    page.get_by_label("What for").fill("<b>nightly</b>")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_text("never shown again").wait_for()
    secret = page.locator(".secret pre").inner_text()
    assert secret.startswith("privet_")
    visitor.look("people-token")
    page.reload()
    page.get_by_role("button", name="Revoke the token <b>nightly</b>").wait_for()
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke the token <b>nightly</b>").click()
    page.get_by_text("You have none.").wait_for()


def test_the_last_owner_cannot_go(visitor, careful):
    visitor.expected = ("status of 409",)
    page = visitor.page
    visitor.at("people")
    page.get_by_role("button", name="Remove you from Careful").click()
    page.get_by_role("alert").wait_for()
    assert "Name another owner first" in page.get_by_role("alert").inner_text()


def test_an_analyst_makes_no_users_and_no_studies(ann):
    ann.at("people")
    ann.page.get_by_role("heading", name="Your tokens for programs").wait_for()
    assert ann.page.get_by_role("button", name="Add the user").count() == 0
    assert ann.page.get_by_role("button", name="Start").count() == 0


def test_a_contributor_sees_what_to_do(carl):
    page = carl.page
    page.get_by_role("link", name="Careful").click()
    page.get_by_role("heading", name="Nothing to do yet").wait_for()
    assert "Your table stays on your machine" in page.inner_text("main")
    carl.look("study-not-begun")


def test_only_how_good_it_is_can_be_released(visitor, careful):
    page = visitor.page
    visitor.at("data", careful, "mine", "classify")
    page.get_by_label("Only measure how good such a model is").check()
    page.get_by_label("Folds").wait_for()
    page.get_by_role("heading", name="What it costs").wait_for()
    visitor.look("mine-cross-validate")
    page.get_by_label("Learn a private model").check()
    page.get_by_label("Folds").wait_for(state="detached")


def test_a_model_in_the_formats_of_others(visitor, careful):
    page = visitor.page
    visitor.at("data", careful, "mine", "classify")
    go_for_real(page)
    spend(page, "0.1")
    page.get_by_role("heading", name="In words").wait_for()
    for form in ("ONNX", "PMML"):
        with page.expect_download() as saved:
            page.get_by_role("link", name=f"Model ({form})").click()
        assert saved.value.path().stat().st_size > 100
