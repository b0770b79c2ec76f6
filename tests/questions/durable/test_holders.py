"""Who can be a holder."""

import pytest

from questions.durable.holders import default_chain, is_holder, supervised_by

PARTICIPANTS = ["a", "0", "run-1", "user:ana", "a._:/@-b", "x" * 128]
NO_PARTICIPANTS = ["", "-a", ":a", "/a", "a b", "a\n", "é", "x" * 129, "a*"]


@pytest.mark.parametrize("holder", ["user", "root", *(f"supervisor:{id}" for id in PARTICIPANTS)])
def test_a_holder_is_people_the_root_or_a_participant(holder):
    assert is_holder(holder)


@pytest.mark.parametrize(
    "holder", ["", "User", "user ", *(f"supervisor:{id}" for id in NO_PARTICIPANTS), None, 1, ["user"]]
)
def test_nothing_else_is_one(holder):
    assert not is_holder(holder)


def test_a_supervisor_s_holder_names_it():
    assert supervised_by("supervisor:supervisor:x") == "supervisor:x"
    assert supervised_by("root") is None


@pytest.mark.parametrize("holder", ["user", "root", "supervisor:x", "supervisor:user", "supervisor:root"])
def test_a_usual_chain_begins_with_its_holder_ends_with_people_and_repeats_nobody(holder):
    chain = default_chain(holder)
    assert (chain[0], chain[-1]) == (holder, "user")
    assert len(set(chain)) == len(chain)
    assert all(map(is_holder, chain))
