"""`questions serve` and its page: the link that it prints is all that a person needs."""

import json
import subprocess
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

from playwright.sync_api import expect

from facets import Principal
from facets.link.sync import open_link
from questions import BlockingQuestions, Confirm, SessionScope
from tests.cli.processes import COMMAND, environment
from tests.house.source import ROOT
from tests.web.browsing import card
from tests.web.serving import PATIENCE


@contextmanager
def serve(folder, *options):
    """A `questions serve` process; gives the lines that it has printed."""
    command = [*COMMAND, "serve", "--port", "0", "--auth-keys", folder / "keys.json", "--person", "ana=Ana", *options]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout
        finally:
            process.terminate()
            process.wait(PATIENCE)


def test_the_link_of_a_person_opens_the_page_on_which_they_answer(browsers, visit, tmp_path):
    with serve(tmp_path, "--print-tokens") as printed:
        link = next(line for line in printed if line.startswith("  page   ")).split()[1]
        worker = (tmp_path / "tokens" / "worker-main.token").read_text().strip()
        page = visit.blank("ana")
        page.goto(link)
        page.get_by_text("Connected as Ana (ana)").wait_for()
        with open_link(f"ws://{urlsplit(link).netloc}", worker) as there:
            asker = there.get(BlockingQuestions, SessionScope("main"))
            card(page, "Run it?").page.evaluate(PRESS)
            assert asker.ask(Confirm("Run it?"), audience=[Principal.user("ana")]).answer is True
        expect(card(page, "Run it?")).to_contain_text("Answered by you. You said: Allow.")


# This thread waits for the answer meanwhile, so the page presses by itself, as soon as a press counts.
PRESS = """() => {
  const press = () => document.querySelector(".buttons .primary[aria-disabled=false]")?.click();
  new MutationObserver(press).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def test_without_printed_tokens_the_address_of_the_page_has_none(tmp_path):
    with serve(tmp_path, "--json", "--session", "a b", "--session", "s2") as printed:
        told = json.loads(printed.readline())
    assert told["page"] == f"http://127.0.0.1:{told['port']}/#session=a+b&session=s2"
    assert "page" not in told["people"][0]


def test_no_page_means_none(tmp_path):
    with serve(tmp_path, "--json", "--no-page", "--print-tokens") as printed:
        told = json.loads(printed.readline())
        connection = HTTPConnection("127.0.0.1", told["port"], timeout=PATIENCE)
        connection.request("GET", "/")
        assert connection.getresponse().status == 404
        connection.close()
    assert told["page"] is None
    assert "page" not in told["people"][0]
