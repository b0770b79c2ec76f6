"""Who acts: never a guest, and never a program that could be taken for a person."""

import pytest

from facets import Forbidden, Principal
from questions.durable.caller import SURFACES, Caller
from questions.durable.errors import BadArgument
from tests.questions.samples import paths


def test_a_guest_takes_no_part():
    with pytest.raises(Forbidden):
        Caller(Principal.guest("ana"), main=True)


@pytest.mark.parametrize("kind", ["user", "worker", "server"])
def test_a_program_cannot_have_the_name_of_somebody_else(kind):
    with pytest.raises(Forbidden):
        Caller(Principal.program(f"{kind}:ana"))


def test_a_person_has_a_kind_before_the_name():
    assert (Caller(Principal.user("ana")).participant_id, Caller(Principal.user("ana")).name) == ("user:ana", "ana")


def test_a_program_goes_by_its_id():
    caller = Caller(Principal.program("run-1"))
    assert (caller.participant_id, caller.name) == ("run-1", "run-1")


@pytest.mark.parametrize("kind", [Principal.server, Principal.worker])
def test_a_host_is_not_taken_for_a_program_of_its_id(kind):
    caller = Caller(kind("run-1"))
    assert (caller.participant_id, caller.name) == (f"{caller.principal.kind}:run-1", "run-1")


@pytest.mark.parametrize("via", SURFACES)
def test_there_are_these_surfaces(via):
    assert Caller(Principal.user("ana"), via=via).via == via


def test_every_fault_of_a_caller_is_named():
    with pytest.raises(BadArgument) as refused:
        Caller(Principal.user("ana"), via="expiry", call="", session="x" * 201)
    assert paths(refused.value) == ["$.via", "$.call", "$.session"]
