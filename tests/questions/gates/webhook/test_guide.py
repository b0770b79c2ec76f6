"""The receiver of the guide: it takes what the channel sends, once, and nothing else."""

import os
import re
import threading
from http.server import HTTPServer

import pytest

from questions.gates import view_of
from questions.gates.adapter import Ended
from questions.gates.webhook.webhook import open_webhook
from tests.house.source import ROOT
from tests.questions.gates.cases import request
from tests.questions.gates.webhook.receiver import SECRET
from tests.questions.gates.webhook.test_sending import launch

VIEW = view_of(request())
PAGE = ROOT / "docs" / "howto" / "ask-through-a-webhook.md"


@pytest.fixture
def receiver(monkeypatch):
    """The program of the page, at any free port; what it would mail is listed."""
    monkeypatch.setitem(os.environ, "GATES_SECRET", SECRET)
    code = re.search(r"^```python receiver\.py\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert code is not None
    program: dict = {"__name__": "receiver"}
    exec(compile(code[1], "receiver.py", "exec"), program)
    sent: list = []
    program["send"] = lambda *mail: sent.append(mail)
    monkeypatch.setattr(program["Receiver"], "log_message", lambda *_: None)
    with HTTPServer(("127.0.0.1", 0), program["Receiver"]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", sent
        server.shutdown()
        thread.join()


async def test_it_mails_each_notice_once(receiver):
    url, sent = receiver
    async with open_webhook(launch(url)) as adapter:
        report = await adapter.present(VIEW, "attempt-1", ())
        assert report.state == "confirmed"
        await adapter.present(VIEW, "attempt-2", ())
        await adapter.settle(VIEW, Ended("cancelled"), report.messages[:1])
    assert [(to, subject) for to, subject, _ in sent] == [("ana", VIEW.title), ("bo", VIEW.title), ("ana", VIEW.title)]
    assert "Decide: https://q.example/decide#" in sent[0][2]
    assert "Cancelled." in sent[2][2]


async def test_it_takes_nothing_that_was_signed_otherwise(receiver):
    url, sent = receiver
    async with open_webhook(launch(url, token="whsec_" + "b3Ro" * 8)) as adapter:
        report = await adapter.present(VIEW, "attempt-1", ())
    assert (report.state, report.error_code, sent) == ("failed", "http_403", [])
