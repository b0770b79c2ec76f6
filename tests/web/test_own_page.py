"""The page of docs/howto/write-your-own-page.md, as it stands there, in a browser."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from questions import Confirm, Option, Select
from tests.cli.processes import environment
from tests.house.source import ROOT
from tests.web.serving import ANA, PATIENCE, Served

PAGE = (ROOT / "docs" / "howto" / "write-your-own-page.md").read_text()
[HTML], [JS] = (re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.S | re.M) for kind in ("html", "js"))
[PYTHON] = re.findall(r"^```python fragment\n(.*?)^```", PAGE, re.S | re.M)


def answer_of_the_page():
    """The function `answer` of the page's program, without the server below it."""
    source = PYTHON.partition("\nasync def main")[0]
    names: dict = {}
    exec(compile(source, "write-your-own-page.md", "exec"), names)
    return names["answer"]


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.html").write_text(HTML)
    (tmp_path / "mine.js").write_text(JS)
    server = Served(answer=answer_of_the_page())
    server.start()
    yield server
    server.close()


def test_the_page_of_the_documents_shows_what_is_open_and_answers(served, visit):
    page = visit.blank("ana")
    page.once("dialog", lambda dialog: dialog.accept("user:ana"))
    page.goto(f"{served.url}mine.html")
    expect(page).to_have_title("connected")
    asked = served.ask(Confirm("Run\u200b it?"), ANA)
    served.ask(Select("Where to?", [Option("a", "A")]), ANA)
    expect(page.get_by_role("button", name="Where to?")).to_be_disabled()
    page.get_by_role("button", name=r"Run\u200b it?").click()
    assert asked.result().answer is True
    expect(page.get_by_role("listitem")).to_have_count(1)


def test_the_program_of_the_documents_serves_the_page_and_goes_on_with_the_answer(browsers, tmp_path):
    for name, text in {"mine.html": HTML, "mine.js": JS, "mine.py": PYTHON}.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-W", "error", "-u", "mine.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            url, token = (program.stdout.readline().split()[1] for _ in range(2))
            with browsers.visitors(None) as visit:
                page = visit.blank("ana")
                page.once("dialog", lambda dialog: dialog.accept(token))
                page.goto(url)
                page.get_by_role("button", name="Run the build?").click()
                assert program.stdout.readline() == "Ana answered True\n"
                assert program.wait(PATIENCE) == 0
        finally:
            program.kill()


def test_the_modules_that_are_named_are_all_that_the_client_needs():
    static = ROOT / "questions" / "web" / "static"
    needed, todo = set(), ["client.js"]
    while todo:
        name = todo.pop()
        needed.add(name)
        todo += set(re.findall(r'from "\./([^"]+)"', (static / name).read_text())) - needed
    named = PAGE.partition("needs a copy of these modules")[2].partition("questions/web/static")[0]
    assert set(re.findall(r"`([a-z_]+\.js)`", named)) == needed
