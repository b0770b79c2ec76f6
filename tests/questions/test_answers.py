"""Answers grow in constant time, and every value stays what it was."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from facets import Principal
from questions.answers import Answers, Given
from questions.redaction import Secret
from tests.questions.samples import ANA, BO, CY
from tests.rules import rule

PEOPLE = [Principal.user(f"u{number}") for number in range(6)]


@rule("Q-POL-6")
@pytest.mark.fuzz
@for_all(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(PEOPLE), st.booleans()), max_size=40))
def test_every_value_that_ever_grew_is_a_list_and_a_set(growths):
    """Each step takes any earlier value, so the same one grows again and again."""
    values = [Answers()]
    models: list[list[Given]] = [[]]
    for which, principal, answer in growths:
        place = which % len(values)
        if principal not in {one.by for one in models[place]}:
            values.append(values[place].plus(Given(principal, answer)))
            models.append([*models[place], Given(principal, answer)])
    for value, model in zip(values, models, strict=True):
        assert (list(value), len(value), bool(value)) == (model, len(model), bool(model))
        assert {one for one in PEOPLE if one in value} == {one.by for one in model}
        assert value.by == tuple(one.by for one in model)


def test_growing_the_same_value_twice_gives_two_values():
    root = Answers().plus(Given(ANA, True))
    left, right = root.plus(Given(BO, "left")), root.plus(Given(CY, "right"))
    assert [one.answer for one in left] == [True, "left"]
    assert [one.answer for one in right] == [True, "right"]
    assert (BO in left, CY in left, BO in right, CY in right) == (True, False, False, True)
    assert list(root) == [Given(ANA, True)]


def test_two_first_answers_do_not_meet():
    """Every entry begins with the same empty value."""
    empty = Answers()
    assert empty.plus(Given(ANA, True)) != empty.plus(Given(BO, True))
    assert not empty
    assert ANA not in empty


def test_growing_in_a_row_shares_what_is_there():
    values = [Answers()]
    for principal in PEOPLE:
        values.append(values[-1].plus(Given(principal, True)))
    assert len({id(value._storage) for value in values[1:]}) == 1


def test_a_copy_made_by_a_second_growth_is_of_its_own():
    root = Answers().plus(Given(ANA, True))
    first, second = root.plus(Given(BO, True)), root.plus(Given(BO, False))
    third = second.plus(Given(CY, True))
    assert CY not in first
    assert CY not in second
    assert [one.by for one in third] == [ANA, BO, CY]


def latest(kept, given):
    """What each has answered last."""
    kept.pop(given.by, None)
    kept[given.by] = given.answer


BACK = st.sampled_from([1, 1, 1, 1, 2, 3])
MOVES = st.tuples(BACK, st.sampled_from(PEOPLE[:4]), st.integers(0, 3), st.booleans())


@pytest.mark.fuzz
@for_all(st.lists(MOVES, max_size=40))
def test_what_is_kept_running_is_what_is_made_from_the_start(moves):
    """Each move takes one of the last values, answers or revises, and asks for what is kept or does not."""
    values = [Answers()]
    for back, principal, answer, is_asked in moves:
        value = values[-min(back, len(values))]
        grown = value.revised if principal in value else value.plus
        values.append(grown(Given(principal, answer)))
        for one in (values[-1], value) if is_asked else ():
            assert list(one.running(dict, latest).items()) == [(given.by, given.answer) for given in one]


def test_asking_after_each_answer_takes_each_answer_once():
    taken = []
    answers = Answers()
    for principal in (*PEOPLE, PEOPLE[2]):
        grown = answers.revised if principal in answers else answers.plus
        answers = grown(Given(principal, True))
        answers.running(dict, lambda kept, given: taken.append(given.by))
    assert taken == [*PEOPLE, PEOPLE[2]]


def test_what_could_not_be_added_to_is_made_anew():
    def refuse(kept, given):
        kept[CY] = "half of it"
        raise ValueError("no more")

    answers = Answers().plus(Given(ANA, 1))
    answers.running(dict, latest)
    answers = answers.plus(Given(BO, 2))
    with pytest.raises(ValueError, match="no more"):
        answers.running(dict, refuse)
    assert answers.running(dict, latest) == {ANA: 1, BO: 2}


def test_nothing_is_kept_of_no_answers():
    empty = Answers()
    empty.running(dict, latest)["canary"] = True
    assert empty.running(dict, latest) == {}


def test_answers_are_equal_by_what_was_answered_in_order():
    one = Answers().plus(Given(ANA, True)).plus(Given(BO, False))
    same = Answers().plus(Given(ANA, True)).plus(Given(BO, False))
    assert (one, hash(one)) == (same, hash(same))
    assert one != Answers().plus(Given(BO, False)).plus(Given(ANA, True))
    assert one != list(one)


@rule("Q-SEC-1")
def test_a_secret_answer_is_not_in_the_text():
    answers = Answers().plus(Given(ANA, Secret("hunter2-Ω")))
    assert "hunter2" not in repr(answers)
    assert repr(Answers()) == "Answers([])"


def test_equal_answers_are_not_unequal():
    one, other = [Answers().plus(Given(ANA, True)) for _ in range(2)]
    assert one == other
    assert not one != other  # noqa: SIM202  # each has a method of its own
    assert one != other.plus(Given(BO, True))
