"""The pictures of the documents: collected with QUESTIONS_PICTURES=1 alone, and written to docs/images/."""

import pytest
from playwright.sync_api import expect

from questions import Confirm, Option, Quorum, Select, Text
from tests.house.source import ROOT
from tests.web.browsing import button, card
from tests.web.deciding import LEAD, Deciding
from tests.web.serving import ANA, BO, CY

COMMAND = "kubectl rollout restart deployment/api \\\n  --namespace production\n# \u202eretpada ton si sihT"


@pytest.fixture
def take():
    """Take a picture of a page as it stands."""

    def picture(page, name):
        page.evaluate("document.activeElement.blur()")
        file = ROOT / "docs" / "images" / name
        page.screenshot(path=file, animations="disabled", full_page=True)
        assert 5_000 < file.stat().st_size < 300_000

    return picture


@pytest.fixture
def visit_decisions(browsers):
    """A server with decisions, and visits to its page."""
    deciding = Deciding()
    deciding.start()
    with browsers.visitors(deciding) as visitors:
        yield deciding, visitors
    deciding.close()


def test_a_desk_in_daylight(served, visit, take):
    ana, bo = visit("ana", viewport={"width": 820, "height": 700}), visit("bo")
    wait = served.ask(Confirm("Is the pager quiet?"), ANA, BO)
    button(card(bo, "Is the pager quiet?"), "Allow").click()
    wait.result()
    expect(card(ana, "Is the pager quiet?")).to_contain_text("Answered by Bo B. (bo).")
    restart = Confirm("Restart the API in production?", details=COMMAND, allow="Restart it", deny="Leave it")
    served.ask(restart, ANA, BO, timeout=300)
    regions = Select("Where should the new release go first?", [Option("eu", "Europe"), Option("us", "America")])
    button(card(ana, "Restart the API"), "Restart it").wait_for()
    served.ask(regions, ANA, BO, CY, policy=Quorum(2), timeout=3600)
    card(bo, "Where should").get_by_label("Europe").check()
    button(card(bo, "Where should"), "Answer").click()
    expect(card(ana, "Where should")).to_contain_text("AnsweredBo B. (bo)")
    card(ana, "Where should").get_by_label("Europe").check()
    take(ana, "page.png")


def test_a_phone_at_night(served, visit, take):
    ana = visit("ana", viewport={"width": 390, "height": 700}, color_scheme="dark")
    served.ask(Text("The code that the bank has sent you?", secret=True, help="Six digits."), ANA, timeout=120)
    card(ana, "The code that").locator("input").fill("481516")
    served.ask(Text("What should the announcement say?", max_bytes=280), ANA, BO)
    card(ana, "What should").get_by_role("textbox").fill("Faster searches, and dark mode.")
    take(ana, "page-on-a-phone.png")


def test_decisions(visit_decisions, take):
    deciding, visit = visit_decisions
    ana = visit("ana", viewport={"width": 820, "height": 700})
    options = [{"id": "keep", "label": "Keep the old release"}, {"id": "drop", "label": "Drop it"}]
    climb = {"hop_timeout_ms": 3_600_000, "on_final": "default"}
    fields = {"on_expire": "escalate", "escalation": climb, "default_option_id": "keep", "options": options}
    raised = deciding.raised("What becomes of release 41?", ANA, holder="supervisor:lead", **fields)
    deciding.act(LEAD, "escalate", raised.id, "I was not there")
    deciding.raised("Restart the API in production?", input="confirm", body=COMMAND, timeout_ms=300_000)
    expect(card(ana, "release 41")).to_contain_text("hop 2 of 3")
    button(card(ana, "Restart the API"), "Yes").wait_for()
    card(ana, "release 41").get_by_text("Pass it on").click()
    card(ana, "release 41").get_by_label("Keep the old release").check()
    expect(ana.locator("button[aria-disabled=true]")).to_have_count(0)
    take(ana, "page-decisions.png")
