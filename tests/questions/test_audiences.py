"""Each live audience is followed once, however many questions share it, and no longer than they do."""

from typing import Any

from facets import Cell
from questions.audiences import LiveAudiences
from tests.questions.samples import ANA, BO
from tests.rules import rule


def a_team() -> Any:
    return Cell((ANA,))


def followed(*cells):
    woken: list[bool] = []
    audiences: Any = LiveAudiences(lambda: woken.append(True))
    return audiences, woken, [audiences.follow(cell, f"q{place}") for place, cell in enumerate(cells)]


@rule("Q-POL-2")
def test_questions_of_one_readable_share_its_audience():
    team = a_team()
    audiences, _, (first, second) = followed(team, team)
    assert first is second is audiences.followed(team)
    assert (list(first.open), len(audiences)) == (["q0", "q1"], 1)


def test_readables_with_equal_values_are_two_audiences():
    one, other = a_team(), a_team()
    audiences, _, (first, second) = followed(one, other)
    assert first is not second
    assert len(audiences) == 2


def test_with_its_last_question_an_audience_is_followed_no_more():
    team = a_team()
    audiences, woken, (audience, _) = followed(team, team)
    audiences.leave(audience, "q0")
    assert audiences.followed(team) is audience
    audiences.leave(audience, "q1")
    team.set(())
    assert (audiences.followed(team), len(audiences), woken) == (None, 0, [])


def test_a_change_wakes_and_each_audience_is_looked_at_once():
    one, other = a_team(), a_team()
    audiences, woken, (first, second) = followed(one, other)
    assert list(audiences.changed()) == []
    one.set((BO,))
    other.set((BO,))
    one.set(())
    assert len(woken) == 2
    assert set(audiences.changed()) == {first, second}
    assert list(audiences.changed()) == []


def test_an_audience_that_is_left_is_not_looked_at():
    team = a_team()
    audiences, _, (audience,) = followed(team)
    team.set((BO,))
    audiences.leave(audience, "q0")
    assert list(audiences.changed()) == []


def test_what_changes_while_the_changed_are_looked_at_is_looked_at_too():
    one, other = a_team(), a_team()
    audiences, _, (first, second) = followed(one, other)
    one.set(())
    looked_at = []
    for audience in audiences.changed():
        looked_at.append(audience)
        other.set(())
    assert looked_at == [first, second]


def test_one_that_changes_whenever_it_is_looked_at_comes_up_once_each_time():
    """A readable with such a fault must not keep the store from everything else."""
    team = a_team()
    audiences, _, (audience,) = followed(team)
    audience.invalidate()
    for _ in range(3):
        looked_at = 0
        for one in audiences.changed():
            looked_at += 1
            one.invalidate()
        assert looked_at == 1
    for one in audiences.changed():
        one.invalidate()
        audiences.leave(one, "q0")
    assert list(audiences.changed()) == []


def test_leaving_what_one_is_not_asked_of_does_nothing():
    team = a_team()
    audiences, _, (audience,) = followed(team)
    audiences.leave(audience, "q7")
    assert list(audience.open) == ["q0"]
