"""Every key of a room's config: its bounds, its default, whether it can be changed later."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import MECHANISMS, RESERVED, InvalidParams
from questions.rooms.refusals import InvalidInput
from questions.rooms.room_authority import RoomAuthority
from questions.rooms.room_config import KEYS, changed_config, config_defaults, read_config

CONFIG = read_config({}, has_question=True)
SETTLED = ["type", "visibility", "mechanism"]
NAMED = {"kind": "designated", "participant_ids": ["bo"]}

ALLOWED: dict[str, list] = {
    "type": ["ephemeral", "persistent"],
    "visibility": ["public", "unlisted", "private"],
    "mechanism": list(MECHANISMS),
    "auth": ["token_only", "mandate_required", "either"],
    "quorum": [1, 1000, None],
    "voting_window": [60, 1_209_600],
    "deliberation_mode": ["optional", "disabled"],
    "max_participants": [1, 1000, None],
    "max_options": [2, 500],
    "max_deliberation_messages_per_participant": [1, 500],
    "max_total_deliberation_messages": [1, 5000],
    "read_receipts": [True, False],
    "choice_visibility": ["after_decided", "live", "never"],
    "early_close": [True, False],
    "settle_window": [0, 3600],
    "creator_votes": [True, False],
    "max_open_decisions": [1, 5],
    **{
        name: [{"kind": "none"}, {"kind": "operator"}, {"kind": "any_participant"}, NAMED]
        for name in KEYS
        if name.endswith("_authority")
    },
}
REFUSED: dict[str, list] = {
    "visibility": ["secret", None, 1],
    "mechanism": [*sorted(RESERVED), "dictator", None],
    "quorum": [0, -1, 1.5, True, "2"],
    "voting_window": [59, 1_209_601, "1h", "3600", 3600.0, None],
    "max_participants": [0, False],
    "max_options": [1, 501],
    "max_deliberation_messages_per_participant": [0, 501],
    "max_total_deliberation_messages": [0, 5001],
    "read_receipts": [0, "true", None],
    "early_close": [1, "no"],
    "settle_window": [-1, 3601],
    "max_open_decisions": [0, 6],
    "invite_authority": [
        "operator",
        {},
        {"kind": "designated"},
        {"kind": "none", "extra": 1},
        {**NAMED, "kind": "none"},
    ],
}


def faults_of(config, **how):
    with pytest.raises(InvalidInput) as caught:
        read_config(config, **{"has_question": True, **how})
    return caught.value.faults


def faults_of_change(settings):
    with pytest.raises(InvalidInput) as caught:
        changed_config(CONFIG, settings)
    return caught.value.faults


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ALLOWED.items() for value in values])
def test_a_key_takes_what_lies_within_its_bounds(name, value):
    assert read_config({name: value}, has_question=True).as_json()[name] == value


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values])
def test_a_key_refuses_what_lies_outside_its_bounds_and_says_where(name, value):
    assert all(fault.startswith(f"$.config.{name}") for fault in faults_of({name: value}))


def test_every_key_is_tested():
    assert ALLOWED.keys() == KEYS.keys()


def test_the_whole_config_is_shown_whatever_was_given():
    assert list(CONFIG.as_json()) == list(KEYS)
    assert CONFIG.as_json() == config_defaults()


def test_a_room_is_unlisted_if_nobody_says():
    assert CONFIG.visibility == "unlisted"


def test_a_room_without_a_question_lasts():
    assert read_config({}, has_question=False).type == "persistent"
    assert read_config({"type": "ephemeral"}, has_question=False).type == "ephemeral"


def test_a_password_makes_a_room_private_and_goes_with_nothing_else():
    assert read_config({}, has_question=True, has_password=True).visibility == "private"
    for visibility in ("public", "unlisted"):
        assert faults_of({"visibility": visibility}, has_password=True) == [
            "$.password: only a private room has a password"
        ]


@pytest.mark.parametrize("name", ["recurrence", "threshold", "Quorum"])
def test_a_key_that_is_not_known_is_refused_naming_those_that_are(name):
    assert faults_of({name: 1}) == [f"$.config.{name}: not known; there are {', '.join(KEYS)}"]


def test_all_faults_are_said_at_once():
    faults = faults_of({"visibility": "secret", "quorum": 0, "nothing": 1})
    assert [fault.split(":")[0] for fault in faults] == ["$.config.nothing", "$.config.visibility", "$.config.quorum"]


def test_a_reserved_mechanism_is_named_as_what_it_is():
    assert "conviction_vote is reserved" in faults_of({"mechanism": "conviction_vote"})[0]


@pytest.mark.parametrize("name", SETTLED)
def test_what_is_settled_when_a_room_is_made_stays(name):
    assert faults_of_change({name: ALLOWED[name][0]}) == [f"$.settings.{name}: is settled when the room is made"]


@pytest.mark.parametrize("name", [name for name in KEYS if name not in SETTLED])
def test_everything_else_can_be_changed_later(name):
    for value in ALLOWED[name]:
        assert changed_config(CONFIG, {name: value}).as_json() == {**CONFIG.as_json(), name: value}


def test_an_unknown_setting_is_refused_naming_those_that_can_be_changed():
    allowed = ", ".join(name for name in KEYS if name not in SETTLED)
    assert faults_of_change({"colour": "red"}) == [f"$.settings.colour: not known; there are {allowed}"]


def test_what_is_no_object_is_refused():
    assert faults_of([]) == ["$.config: must be an object"]
    assert faults_of_change(None) == ["$.settings: must be an object"]


@pytest.mark.parametrize(
    ("authority", "allowed"),
    [
        (RoomAuthority("none"), []),
        (RoomAuthority("operator"), ["ana"]),
        (RoomAuthority("designated", ("bo",)), ["bo"]),
        (RoomAuthority("any_participant"), ["ana", "bo"]),
    ],
)
def test_an_authority_allows_those_that_it_names(authority, allowed):
    assert [who for who in ("ana", "bo") if authority.allows(who, is_operator=who == "ana")] == allowed


def test_an_authority_that_cannot_be_is_not_made():
    with pytest.raises(InvalidParams):
        RoomAuthority("designated")


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=3)


@given(st.dictionaries(st.sampled_from([*KEYS, "other"]), JSON))
def test_whatever_is_sent_is_a_config_or_a_list_of_faults(sent):
    faults, read = [], {}
    try:
        read = read_config(sent, has_question=True).as_json()
    except InvalidInput as error:
        faults = list(error.faults)
    assert all(fault.startswith("$.config.") for fault in faults)
    assert faults or read == {**config_defaults(), **sent}
