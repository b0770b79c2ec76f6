"""Codes of choices: the same after a restart, and no other's."""

from questions.gates.telegram.codes import Codes, Option
from tests.questions.gates.telegram.stage import KEY, VIEW, view

OTHER = view(title="Another plan")
CODES = Codes("approval", KEY)


def test_a_code_is_the_same_whenever_it_is_made():
    assert Codes("approval", KEY).buttons([VIEW]) == CODES.buttons([VIEW])


def test_no_two_choices_requests_profiles_or_keys_have_one_in_common():
    made = [
        CODES.buttons([VIEW, OTHER]),
        Codes("other", KEY).buttons([VIEW]),
        Codes("approval", KEY[1:]).buttons([VIEW]),
    ]
    assert len({code for codes in made for code in codes}) == 8


def test_a_typed_code_is_for_one_chat_and_in_any_case():
    replan = Option(VIEW, "replan")
    code = CODES.answer(replan, "-200")
    assert CODES.typed([OTHER, VIEW], code.lower(), "-200") == replan
    assert CODES.typed([OTHER, VIEW], code, "-300") is None
    assert CODES.typed([OTHER], code, "-200") is None


def test_the_key_is_in_no_repr():
    assert KEY.hex() not in repr(CODES)
    assert repr(KEY) not in repr(CODES)
