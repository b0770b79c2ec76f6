"""The page in a real browser: from the link in a message to the answer, with and without a script, by keyboard."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import trio
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect, sync_playwright

from questions.gates import Paragraph, Presentation, State, TimeoutPolicy
from tests.questions.gates.cases import CONTINUE
from tests.questions.gates.webhook.stage import open_stage
from tests.web.browsing import ARGUMENTS, CHROMIUM, PATIENCE, WATCH_POLICY

pytestmark = pytest.mark.needs_tool(*CHROMIUM)


class Browser:
    """One browser in a thread of its own, where all is done that is done with it. Each visit is by a new person."""

    def __init__(self):
        self._thread = ThreadPoolExecutor(1)
        self._stack = ExitStack()
        self._thread.submit(self._start).result()

    def _start(self):
        path = next(filter(None, map(shutil.which, CHROMIUM)))
        playwright = self._stack.enter_context(sync_playwright())
        self._browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        self._stack.callback(self._browser.close)

    def close(self):
        self._thread.submit(self._stack.close).result()
        self._thread.shutdown()

    async def visit(self, link, act, **options):
        """Open a link and act there; what the browser complains of, a policy that was broken too, is an error."""
        complaints: list = []
        visited = self._thread.submit(self._visit, complaints, link, act, options)
        found = await trio.to_thread.run_sync(visited.result)
        assert complaints == []
        return found

    def _visit(self, complaints, link, act, options):
        profile = self._browser.new_context(**options)
        try:
            profile.set_default_timeout(PATIENCE)
            profile.add_init_script(WATCH_POLICY)
            page = profile.new_page()
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(link)
            return act(page)
        finally:
            profile.close()


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.close()


def check_access(page):
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_from_the_link_to_the_answer_by_keyboard_alone(scheme, browser):
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask(
            presentation=Presentation("Review the plan.", [Paragraph("One.\nTwo.")]),
            timeout=TimeoutPolicy(600_000, CONTINUE),
        )
        link = await stage.link()

        def act(page):
            expect(page.get_by_role("heading", name=request.title)).to_be_visible()
            assert page.url == stage.page
            check_access(page)
            page.keyboard.press("Tab")
            expect(page.get_by_role("radio", name="Continue")).to_be_focused()
            page.keyboard.press("ArrowDown")
            expect(page.get_by_role("radio", name="Replan")).to_be_checked()
            page.keyboard.press("Tab")
            page.keyboard.type("Use less.")
            expect(page.get_by_label("What should change?")).to_have_value("Use less.")
            page.keyboard.press("Tab")
            expect(page.get_by_role("button", name="Confirm")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.get_by_role("status")).to_contain_text("Your answer was counted. Chosen: Replan")
            check_access(page)

        await browser.visit(link, act, color_scheme=scheme)
        resolution = (await stage.gates.get(request.decision_id)).resolution
        assert resolution.response.input.text == "Use less."


async def test_opening_the_link_and_going_back_and_forth_settles_nothing(browser):  # R58
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask()
        link = await stage.link()

        def act(page):
            for _ in range(3):
                page.goto("about:blank")
                page.goto(link)
                expect(page.get_by_role("button", name="Confirm")).to_be_visible()
            page.get_by_role("radio", name="Continue").check()
            page.go_back()
            assert "#" not in page.url

        await browser.visit(link, act)
        assert await stage.state(request) is State.OPEN


async def test_without_a_choice_nothing_is_sent(browser):
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask()

        def act(page):
            page.get_by_role("button", name="Confirm").click()
            expect(page.get_by_role("button", name="Confirm")).to_be_visible()

        await browser.visit(await stage.link(), act)
        assert await stage.gates.submissions(request.decision_id) == []
        assert await stage.state(request) is State.OPEN


async def test_who_has_no_script_pastes_the_code_and_answers(browser):
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask()
        code = await stage.code()

        def act(page):
            page.get_by_label("Code").fill(code)
            page.get_by_role("button", name="Show the request").click()
            page.get_by_role("radio", name="Continue").check()
            page.get_by_role("button", name="Confirm").click()
            expect(page.get_by_role("status")).to_contain_text("Your answer was counted.")

        await browser.visit(await stage.link(), act, java_script_enabled=False)
        assert await stage.state(request) is State.ACCEPTED


async def test_the_page_that_asks_for_a_code_and_those_that_refuse_are_accessible(browser):
    async with open_stage(recipients=("ana",)) as stage:
        await stage.ask()

        def act(page):
            check_access(page)
            page.get_by_label("Code").fill("no.code")
            with page.expect_navigation():
                page.get_by_role("button", name="Show the request").click()
            expect(page.get_by_role("alert")).to_contain_text("This link is not good")
            check_access(page)

        with pytest.raises(AssertionError, match="403"):  # the browser itself says so, and nothing else
            await browser.visit(stage.page, act)


async def test_what_does_not_fit_is_said_and_kept(browser):
    async with open_stage(recipients=("ana",)) as stage:
        await stage.ask()

        def act(page):
            page.get_by_role("radio", name="Replan").check()
            page.get_by_label("What should change?").fill("x" * 4_001)
            with page.expect_navigation():
                page.get_by_role("button", name="Confirm").click()
            expect(page.get_by_role("alert")).to_contain_text("at most 4000 are allowed")
            expect(page.get_by_label("What should change?")).to_have_value("x" * 4_001)
            check_access(page)

        with pytest.raises(AssertionError, match="422"):
            await browser.visit(await stage.link(), act)


async def test_on_a_phone_in_large_print_nothing_is_cut_off(browser):
    async with open_stage(recipients=("ana",)) as stage:
        await stage.ask(presentation=Presentation("Review the plan.", [Paragraph("x" * 500)]))

        def act(page):
            expect(page.get_by_role("button", name="Confirm")).to_be_visible()
            width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert width == 0

        await browser.visit(await stage.link(), act, viewport={"width": 320, "height": 500})
