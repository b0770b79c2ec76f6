"""Logs: one line an event, one event a settlement, and neither answers nor tokens in them."""

import io
import json
import logging

import pytest

from questions import Confirm, Text
from questions.operations import JsonLines, TextLines, logging_to
from questions.testing import open_rig
from tests.questions.steps import said

TOKEN = "eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOiJ1c2VyOmFuYSJ9.c2lnbmF0dXJlLWNhbmFyeQ"


def record(message, *args, name="questions", **extra):
    made = logging.LogRecord(name, logging.WARNING, "file.py", 1, message, args, None)
    made.__dict__.update(extra)
    return made


def events(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


async def test_each_settlement_is_one_event_with_what_belongs_to_it(autojump_clock):
    stream = io.StringIO()
    with logging_to(stream, "json"):
        async with open_rig() as rig:
            (ana,) = await rig.people("ana")
            first = rig.ask(Confirm("Message-canary?"), audience=[ana], key="key-canary")
            await rig.quiet()
            rig.ask(Text("Code?", secret=True), audience=[ana], timeout=5)
            await rig.until(2)
            assert said(ana, True) is None
            await first.wait()
            with pytest.raises(Exception, match="nobody had answered"):
                await rig.ask(Confirm("Late?"), audience=[rig.person("bo")], timeout=1).wait()
            rig.reports.clear()
            await rig.until(9)
    told = events(stream)
    assert [(one["event"], one["how"], one["by"], one["seen"]) for one in told] == [
        ("settled", "answered", ["user:ana"], 1),
        ("settled", "expired", [], 0),
        ("settled", "expired", [], 1),
    ]
    assert (
        told[0].items()
        >= {
            "logger": "questions",
            "level": "info",
            "scope": "session:s1",
            "kind": "confirm",
            "secret": False,
            "asker": "server:host",
            "automatic": False,
            "seconds": 2.0,
        }.items()
    )
    assert told[0]["time"].endswith("Z")
    assert "canary" not in stream.getvalue()


async def test_no_answer_is_in_them_secret_or_not_whatever_becomes_of_it(autojump_clock):
    for form in ("json", "text"):
        stream = io.StringIO()
        with logging_to(stream, form, logging.DEBUG):
            async with open_rig(observe=fails_with_everything) as rig:
                (ana,) = await rig.people("ana")
                for secret in (True, False):
                    asking = rig.ask(Text("Code?", secret=secret, max_bytes=30), audience=[ana])
                    await rig.quiet()
                    assert said(ana, "canary" * 20) is not None, "too long"
                    assert said(ana, ["canary"]) is not None
                    assert said(ana, "the-canary") is None
                    assert (await asking.wait()).answer == "the-canary"
                    assert said(ana, "canary-late", rig.settled[-1].id) is not None
        assert "question" in stream.getvalue()
        assert "canary" not in stream.getvalue()


def fails_with_everything(report):
    raise ValueError("an observer that fails")


def test_a_record_of_any_kind_is_one_line_of_json():
    record_ = record(
        "two\nlines %s", {"a": 1}, name="facets.link", **{"facets.code": {1}, "other.field": 2, "process": 7}
    )
    line = JsonLines().format(record_)
    assert "\n" not in line
    told = json.loads(line)
    assert (told["message"], told["event"], told["logger"]) == ("two\nlines {'a': 1}", "log", "facets.link")
    assert (told["code"], told["level"]) == ("{1}", "warning")
    assert not told.keys() & {"field", "other.field", "process"}


def test_a_traceback_is_part_of_its_event():
    try:
        raise ValueError("inside")
    except ValueError as error:
        made = record("failed")
        made.exc_info = type(error), error, error.__traceback__
    assert "ValueError: inside" in json.loads(JsonLines().format(made))["exception"]
    assert TextLines().format(made).splitlines()[-1] == "ValueError: inside"


@pytest.mark.parametrize("form", [JsonLines, TextLines])
def test_what_looks_like_a_token_is_cut_out_wherever_it_stands(form):
    made = record("a header: Bearer %s, and more", TOKEN, **{"facets.url": f"ws://x/?token={TOKEN}"})
    made.exc_text = None
    try:
        raise ValueError(TOKEN)
    except ValueError as error:
        made.exc_info = type(error), error, error.__traceback__
    line = form().format(made)
    assert "[token]" in line
    assert not [part for part in TOKEN.split(".") if part in line]


def test_a_text_line_cannot_be_broken_or_coloured_by_what_is_in_it():
    line = TextLines().format(record("session %s", "s1\n2026-01-01 forged\x1b[31m"))
    assert line.endswith(r"questions: session s1\n2026-01-01 forged\x1b[31m")


def test_afterwards_the_loggers_are_as_they_were():
    loggers = [logging.getLogger(name) for name in ("questions", "facets")]
    before = [(one.level, one.propagate, list(one.handlers)) for one in loggers]
    with pytest.raises(KeyError):
        fail_while_logging(loggers)
    assert [(one.level, one.propagate, list(one.handlers)) for one in loggers] == before


def fail_while_logging(loggers):
    with logging_to(io.StringIO(), "json", logging.DEBUG):
        assert [(one.level, one.propagate) for one in loggers] == [(logging.DEBUG, False)] * 2
        raise KeyError
