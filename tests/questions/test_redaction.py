"""A secret shows itself to `reveal()` and to nothing else."""

import copy
import pickle
import traceback

import pytest

from questions import Secret, redact
from questions.redaction import HIDDEN
from tests.rules import rule

CANARY = "hunter2-Ω"

pytestmark = rule("Q-SEC-1")


def test_reveal_gives_the_very_value():
    value = [CANARY]
    assert Secret(value).reveal() is value


@pytest.mark.parametrize("text", [str, repr, "{}".format, "{:>30}".format, "{!r}".format, "%s".__mod__, ascii])
def test_no_text_made_of_it_shows_the_value(text):
    shown = text(Secret(CANARY))
    assert shown == HIDDEN == "<hidden>"


def test_containers_show_it_hidden():
    assert repr({"code": [Secret(CANARY)]}) == "{'code': [<hidden>]}"


def test_a_traceback_with_locals_does_not_show_it():
    def fail(secret):
        raise RuntimeError(secret)

    with pytest.raises(RuntimeError) as caught:
        fail(Secret("hunter2" + "-Ω"))
    lines = list(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert any("secret = <hidden>" in line for line in lines)
    assert not any(CANARY in line for line in lines)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_can_be_neither_pickled_nor_copied(again):
    with pytest.raises(TypeError, match=r"^a secret cannot be pickled") as caught:
        again(Secret(CANARY))
    assert CANARY not in str(caught.value)


def test_it_has_no_attributes_to_list():
    assert not hasattr(Secret(CANARY), "__dict__")


def test_two_secrets_are_not_compared_by_what_they_hide():
    assert Secret(CANARY) != Secret(CANARY)


@pytest.mark.parametrize(
    ("value", "secret", "shown"),
    [
        ("open", False, "open"),
        (False, False, False),
        (CANARY, True, HIDDEN),
        ("", True, HIDDEN),
        (Secret(CANARY), True, HIDDEN),
        (Secret(CANARY), False, HIDDEN),
    ],
)
def test_redact_hides_what_is_said_to_be_secret_and_every_secret(value, secret, shown):
    assert redact(value, secret) == shown
