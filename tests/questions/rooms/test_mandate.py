"""A mandate allows what its owner has signed, in these rooms and until then, and nothing else."""

import pytest

from questions.rooms.errors import InvalidMandate
from questions.rooms.jws import sign_jws
from questions.rooms.mandate import ACTIONS, Act, read_mandate, sign_mandate
from questions.rooms.public_keys import did_key
from tests.questions.rooms.receipts import KEY, OTHER_KEY, ROOM

NOW = 1_790_100_000
TERMS = {"rooms": [ROOM], "actions": ["choose", "discuss"], "weight_cap": 1, "trust_stage": 1}
CLAIMS = {"iss": "https://owner.example", "sub": "agent", "jti": "m-1", "nbf": NOW, "exp": NOW + 100, "grp": TERMS}


def mandate(terms=None, **claims):
    return read_mandate(sign_mandate({**CLAIMS, **claims, "grp": {**TERMS, **(terms or {})}}, "k", KEY), KEY)


def reasons(checked, revoked=(), **act):
    """The reason of a refusal, and how many faults there were."""
    with pytest.raises(InvalidMandate) as refused:
        checked.check(Act(**{"action": "choose", "room": ROOM, "now": NOW, **act}), revoked)
    return refused.value.reason, len(refused.value.faults)


def test_a_mandate_allows_what_it_says():
    mandate().check(Act("choose", ROOM, NOW, weight=1))
    mandate({"rooms": ["*"]}).check(Act("discuss", "any", NOW + 99.9))


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_every_action_can_be_allowed(action):
    mandate({"actions": [action]}).check(Act(action, ROOM, NOW))


@pytest.mark.parametrize(
    ("terms", "claims", "act", "reason"),
    [
        ({}, {}, {"now": NOW + 100}, "expired"),
        ({}, {"exp": None}, {}, "expired"),
        ({}, {"exp": True}, {}, "expired"),
        ({}, {}, {"now": NOW - 1}, "not_yet_valid"),
        ({}, {"nbf": "now"}, {}, "not_yet_valid"),
        ({}, {}, {"room": ROOM + "/"}, "room_not_in_scope"),
        ({"rooms": "*"}, {}, {}, "room_not_in_scope"),
        ({"rooms": [["*"]]}, {}, {}, "room_not_in_scope"),
        ({}, {}, {"action": "close"}, "action_not_in_scope"),
        ({"actions": ["*"]}, {}, {"action": "*"}, "action_not_in_scope"),
        ({"actions": None}, {}, {}, "action_not_in_scope"),
        ({}, {}, {"weight": 2}, "weight_cap"),
        ({"weight_cap": None}, {}, {"weight": 1}, "weight_cap"),
        ({}, {}, {"weight": float("nan")}, "weight_cap"),
        ({"rate_caps": {"limit": 2, "window_seconds": 60}}, {}, {"earlier": [NOW - 59, NOW - 1]}, "rate_cap"),
        ({"rate_caps": {"limit": 0, "window_seconds": 60}}, {}, {}, "rate_cap"),
        ({"rate_caps": {"limit": 2}}, {}, {}, "rate_cap"),
        ({"rate_caps": []}, {}, {}, "rate_cap"),
    ],
)
def test_what_it_does_not_say_it_does_not_allow(terms, claims, act, reason):
    assert reasons(mandate(terms, **claims), **act) == (reason, 1)


def test_acts_before_the_window_do_not_count():
    caps = {"rate_caps": {"limit": 2, "window_seconds": 60}}
    mandate(caps).check(Act("choose", ROOM, NOW, earlier=[NOW - 60, NOW - 61, NOW - 1]))


def test_the_first_check_that_fails_is_the_reason_and_all_are_told():
    checked = mandate({"rooms": []})
    assert reasons(checked, revoked=["m-1"], now=NOW + 100, action="close") == ("revoked", 4)
    assert reasons(checked, now=NOW + 100, action="close") == ("expired", 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b.c",
        sign_mandate(CLAIMS, "k", OTHER_KEY),
        sign_jws({"alg": "EdDSA", "kid": "k", "typ": "grp-receipt+jwt"}, CLAIMS, KEY),
        sign_jws({"alg": "EdDSA", "kid": "k"}, CLAIMS, KEY),
        sign_mandate({**CLAIMS, "jti": ""}, "k", KEY),
        sign_mandate({**CLAIMS, "sub": None}, "k", KEY),
        sign_mandate({**CLAIMS, "grp": []}, "k", KEY),
        sign_jws({"alg": "EdDSA", "typ": "grp-mandate+jwt"}, [], KEY),
        sign_mandate({**CLAIMS, "note": "x" * 65_536}, "k", KEY),
    ],
)
def test_what_its_issuer_has_not_signed_as_a_mandate_is_none(text):
    with pytest.raises(InvalidMandate) as refused:
        read_mandate(text, KEY)
    assert refused.value.reason == "signature_invalid"


def test_who_is_named_by_a_key_signs_with_that_key():
    did = did_key(KEY)
    assert read_mandate(sign_mandate({**CLAIMS, "iss": did}, did, KEY), KEY).issuer == did
    with pytest.raises(InvalidMandate, match="kid"):
        read_mandate(sign_mandate({**CLAIMS, "iss": did}, "k", KEY), KEY)
