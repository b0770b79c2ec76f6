"""Identity is kind and id; a name is only shown."""

import pickle

import pytest

from facets import InvalidPrincipal, Principal, Who


@pytest.mark.parametrize("kind", ["user", "guest", "program", "worker", "server"])
def test_each_kind_has_a_constructor(kind):
    principal = getattr(Principal, kind)("ana")
    assert principal == Principal(kind, "ana")
    assert str(principal) == f"{kind}:ana"


def test_the_same_id_of_another_kind_is_somebody_else():
    assert Principal.user("ana") != Principal.guest("ana")
    assert len({Principal.user("ana"), Principal.user("ana"), Principal.guest("ana")}) == 2


def test_principals_sort_by_kind_and_id():
    unsorted = [Principal.user("b"), Principal.user("a"), Principal.guest("c")]
    assert [str(one) for one in sorted(unsorted)] == ["guest:c", "user:a", "user:b"]


def test_a_pickled_principal_is_the_same_and_hashes_the_same():
    ana = Principal.user("ana")
    hash(ana)
    twin = pickle.loads(pickle.dumps(ana))
    assert twin == ana
    assert hash(twin) == hash(ana)


@pytest.mark.parametrize("id", ["", "x" * 201, "a\nb", "a\x7f", "\ud800", "\u202eana", "a\u200f", None, 7, b"ana"])
def test_an_unusable_id_is_refused(id):
    with pytest.raises(InvalidPrincipal) as caught:
        Principal.user(id)
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["$.id"]


@pytest.mark.parametrize("id", ["0", "x" * 200, "ana maría", "🦔"])
def test_any_printable_id_of_1_to_200_code_points_will_do(id):
    assert Principal.user(id).id == id


@pytest.mark.parametrize("kind", ["admin", "", None, 3, []])
def test_an_unknown_kind_is_refused_together_with_every_other_fault(kind):
    with pytest.raises(InvalidPrincipal) as caught:
        Principal(kind, "")
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["$.kind", "$.id"]


def test_who_is_the_principal_whatever_the_name():
    ana = Principal.user("ana")
    assert Who(ana, "Ana") == Who(ana, "Dr. Ana")
    assert len({Who(ana, "Ana"), Who(ana, "Dr. Ana")}) == 1
    assert str(Who(ana, "Ana")) == "Ana"


def test_a_principal_cannot_be_changed():
    with pytest.raises(AttributeError):
        Principal.user("ana").id = "bob"  # type: ignore[misc]
