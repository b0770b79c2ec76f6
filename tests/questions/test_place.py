"""Whose boards a question concerns, whichever are fewer, the members or the boards."""

from typing import Any

import pytest

from facets import Principal
from questions.place import Place
from tests.questions.samples import ANA, BO, CY, HOST, RUN

GIL = Principal.guest("gil")


def place(*viewers, overseers=()) -> Any:
    """A place whose boards are called as their viewers are."""
    made: Any = Place()
    made.boards = {viewer: str(viewer) for viewer in viewers}
    made.overseers = {viewer: str(viewer) for viewer in overseers}
    return made


def concerned(place, *members):
    return list(place.concerned(dict.fromkeys(members)))


def test_a_new_place_concerns_nobody():
    assert concerned(Place()) == concerned(Place(), ANA) == []


@pytest.mark.parametrize(
    ("viewers", "members"),
    [
        ([BO, ANA, CY], [ANA]),
        ([ANA, BO], [CY, ANA]),
        ([ANA], [CY, BO, ANA]),
        ([HOST, ANA, RUN], [CY, ANA, BO, GIL]),
    ],
    ids=["fewer members", "as many", "fewer boards", "most of neither"],
)
def test_the_boards_of_the_members_are_concerned_and_no_others(viewers, members):
    assert concerned(place(*viewers), *members) == ["user:ana"]


@pytest.mark.parametrize("members", [[], [BO], [BO, CY, HOST]], ids=len)
def test_who_oversees_is_concerned_by_every_question(members):
    assert concerned(place(ANA, RUN, overseers=[RUN]), *members) == ["program:run-1"]


def test_who_oversees_and_is_a_member_is_concerned_once():
    assert concerned(place(ANA, RUN, overseers=[RUN]), ANA, RUN) == ["user:ana", "program:run-1"]
