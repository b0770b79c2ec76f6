"""A token is believed if one of the keys has signed it, for this server, for now, and nobody has taken it back."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws

from facets import InvalidToken, Principal
from facets.link.identity import LONGEST_LIFETIME, Authenticator
from facets.link.keys import KeyRing
from facets.link.revocations import Revocations
from facets.link.tokens import TokenAuthenticator, TokenIssuer
from tests.facets.link.elsewhere import revoke_elsewhere, rotate_elsewhere
from tests.facets.link.forging import ANA, NOW, b64, changed, claims, signed, signed_with_the_public_key, unsigned
from tests.questions.canary import Watch

pytestmark = pytest.mark.filterwarnings("error")


class Setting:
    """Keys, what was revoked, who issues, and who believes; each with the same files."""

    def __init__(self, folder):
        self.keys = KeyRing(folder / "keys.json", create=True)
        self.revocations = Revocations(folder / "keys.json.revoked")
        self.issuer = TokenIssuer(self.keys)
        self.authenticator: Authenticator = self.another()

    def another(self, **options):
        """The one that believes in a server of its own, with its own view of the files."""
        files = KeyRing(self.keys.path), Revocations(self.revocations.path)
        return TokenAuthenticator(*files, **{"leeway": 0, **options})

    def issue(self, principal=ANA, **options):
        return self.issuer.issue(principal, NOW, **options)

    def believes(self, token, now=NOW):
        return self.authenticator.authenticate(token, now)

    def believes_claims(self, **changes):
        return self.believes(signed(self.keys, claims(**changes)))


@pytest.fixture
def setting(tmp_path):
    return Setting(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """For the tests that only look."""
    return Setting(tmp_path_factory.mktemp("shared"))


@pytest.fixture
def verifications(monkeypatch):
    """How often a signature was verified, as a list that grows."""
    seen, really = [], jws.validate_compact

    def counted(*given):
        seen.append(1)
        return really(*given)

    monkeypatch.setattr(jws, "validate_compact", counted)
    return seen


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"name": "Ana Ω"},
        {"scopes": ["owner"]},
        {"scopes": ["session:s1", "session:a b:c/ü%"]},
        {"scopes": [f"session:{number}" for number in range(16)]},
        {"principal": Principal.worker("s1"), "scopes": ["session:s1"]},
        {"principal": Principal.user("a: b"), "lifetime": LONGEST_LIFETIME},
        {"lifetime": 1},
    ],
)
def test_what_is_issued_is_believed(shared, wish):
    issued = shared.issue(**wish)
    assert shared.believes(issued.token) == issued.identity
    assert (issued.identity.principal, issued.identity.name) == (wish.get("principal", ANA), wish.get("name"))
    assert issued.identity.scopes == frozenset(wish.get("scopes", ()))
    assert shared.authenticator.still_valid(issued.identity, NOW)


def test_a_token_is_a_signed_web_token_with_the_usual_claims(shared):
    issued = shared.issue(name="Ana", scopes=["session:a b", "owner"], lifetime=60)
    read = jws.extract_compact(issued.token.encode())
    assert read.headers() == {"typ": "facets+jwt", "alg": "Ed25519", "kid": shared.keys.kids[0]}
    assert json.loads(read.payload) == {
        "iss": "facets",
        "aud": "facets.link",
        "sub": "user:ana",
        "jti": issued.identity.token_id,
        "iat": NOW,
        "exp": NOW + 60,
        "name": "Ana",
        "scope": "owner session:a%20b",
    }


def test_no_two_tokens_have_one_id(shared):
    assert len({shared.issue().identity.token_id for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("wish", "faults"),
    [
        ({"lifetime": 0.5}, ["$.lifetime: 1 to 31622400 seconds, not 0.5"]),
        ({"lifetime": LONGEST_LIFETIME + 1}, ["$.lifetime: 1 to 31622400 seconds, not 31622401"]),
        ({"lifetime": float("nan")}, ["$.lifetime: 1 to 31622400 seconds, not nan"]),
        ({"name": "\x1b[2K"}, ["$.name: 1 to 200 code points, no control and no bidirectional characters"]),
        ({"scopes": ["*", "owner", "session:"]}, [f"$.scopes[{at}]: session:ID, or owner" for at in (0, 2)]),
        ({"scopes": ["owner"] * 17}, ["$.scopes: at most 16, not 17"]),
        ({"scopes": [f"session:{n}" + "Ω" * 190 for n in range(16)]}, ["$.scopes: too long together"]),
        (
            {"principal": Principal.worker("s1"), "scopes": ["session:s2"]},
            ["$.scopes: a worker is good for its own session only, and these leave it out"],
        ),
    ],
)
def test_what_cannot_be_issued_says_every_fault(shared, wish, faults):
    with pytest.raises(InvalidToken) as refused:
        shared.issue(**wish)
    assert refused.value.faults == faults


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_token_changed_anywhere_is_refused(shared, part):
    token = shared.issue().token
    for position in range(len(token.split(".")[part])):
        assert shared.believes(changed(token, part, position)) is None


def test_a_token_has_one_spelling(shared):
    """The last character of a signature has bits to spare; others that decode to the same are not the same."""
    token = shared.issue().token
    assert [char for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if shared.believes(token[:-1] + char)] in ([], [token[-1]])
    assert not any(map(shared.believes, [token + "=", token + "\n", " " + token, token + ".", f"Bearer {token}"]))


def test_parts_of_two_tokens_make_none(shared):
    one, two = (shared.issue().token.split(".") for _ in range(2))
    assert shared.believes(".".join([*one[:2], two[2]])) is None
    assert shared.believes(".".join([one[0], two[1], one[2]])) is None


def test_the_token_does_not_choose_how_it_is_verified(shared):
    assert shared.believes(unsigned(shared.keys, claims())) is None
    assert shared.believes(unsigned(shared.keys, claims()) + "A" * 86) is None
    assert shared.believes(signed_with_the_public_key(shared.keys, claims())) is None


@pytest.mark.parametrize(
    "header",
    [
        {"typ": "JWT"},
        {"typ": "facets-proof+jwt"},
        {"typ": "at+jwt"},
        {"cty": "JWT"},
        {"kid": "other"},
        {"jku": "https://example.org/keys"},
        {"jwk": {"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}},
        {"b64": True, "crit": ["b64"]},
    ],
)
def test_a_header_that_is_not_ours_is_refused(shared, header):
    assert shared.believes(signed(shared.keys, claims()))
    assert shared.believes(signed(shared.keys, claims(), **header)) is None


def test_other_keys_are_not_believed(shared, tmp_path):
    others = KeyRing(tmp_path / "others.json", create=True)
    assert shared.believes(signed(others, claims())) is None
    assert shared.believes(signed(others, claims(), kid=shared.keys.kids[0])) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "other"},
        *({"aud": aud} for aud in ("other", ["facets.link", "other"], "facets.proof")),
        *({"sub": sub} for sub in ("ana", "root:ana", ["user:ana"])),
        *({"jti": jti} for jti in ("short", 7)),
        *({"iat": iat} for iat in ("1", True)),
        *({"exp": exp} for exp in (float("nan"), float("inf"), 10**400, NOW, NOW + LONGEST_LIFETIME + 2)),
        *({"name": name} for name in ("", "a\nb", 7)),
        {"nbf": NOW - 1},
        {"admin": True},
        *({name: None} for name in ("iss", "aud", "sub", "jti", "iat", "exp")),
    ],
)
def test_claims_that_are_not_ours_are_refused_whoever_has_signed_them(shared, changes):
    assert shared.believes_claims()
    assert shared.believes_claims(**changes) is None


MALFORMED_SCOPES: list[object] = [
    "",
    " ",
    "*",
    "session:",
    "owner owner",
    "owner  session:s1",
    " owner",
    "session:a%00",
    "session:%ff",
]
MALFORMED_SCOPES += ["session:ü", 'session:"', 7, [], ["owner"], " ".join(f"session:{number}" for number in range(17))]


@pytest.mark.parametrize("scope", MALFORMED_SCOPES)
def test_scopes_that_are_malformed_are_refused_and_not_taken_for_everything(shared, scope):
    assert shared.believes_claims(scope="owner session:s1").scopes == {"owner", "session:s1"}
    assert shared.believes_claims(scope=scope) is None


@pytest.mark.parametrize(("scope", "session"), [("session:%73", "s"), ("session:s%201", "s 1"), ("session:s+1", "s+1")])
def test_scopes_are_percent_encoded(shared, scope, session):
    assert shared.believes_claims(scope=scope).scopes == {f"session:{session}"}


@pytest.mark.parametrize("payload", [b"", b"[]", b"7", b"null", b"\xff", b"[" * 4_000])
def test_a_payload_that_is_no_object_is_refused(shared, payload):
    kid, key = shared.keys.signing
    header = {"typ": "facets+jwt", "alg": "Ed25519", "kid": kid}
    assert shared.believes(jws.serialize_compact(header, payload, key, ["Ed25519"])) is None


garbage = st.one_of(
    st.text(),
    st.binary().map(b64),
    st.lists(st.one_of(st.binary(), st.dictionaries(st.text(), st.integers())).map(b64), min_size=3).map(".".join),
    st.tuples(st.binary(), st.binary(), st.binary(min_size=64, max_size=64)).map(
        lambda parts: ".".join(map(b64, parts))
    ),
)


@given(garbage)
def test_garbage_is_refused_without_a_word_to_the_caller(shared, text):
    assert shared.believes(text) is None


@pytest.mark.parametrize(
    "token", ["", ".", "..", "a.b.c", "\ud800", "A" * 10**6, f"{'A' * 9_000}.A.{'A' * 86}", None, 7, b"x"]
)
def test_what_is_no_token_is_refused(shared, token):
    assert shared.believes(token) is None


def test_a_header_nested_too_deeply_is_refused(shared):
    assert shared.believes(f"{b64(b'[' * 5_000)}.{b64({})}.{'A' * 86}") is None


@pytest.mark.parametrize("leeway", [0, 10])
def test_a_token_is_good_from_its_issue_until_it_expires(setting, leeway):
    authenticator = setting.another(leeway=leeway)
    issued = setting.issue(lifetime=60)
    good = [NOW - leeway, NOW, NOW + 59.9 + leeway]
    bad = [NOW - leeway - 0.1, NOW + 60 + leeway, NOW + 1e6]
    for now in [*good, *bad, *good]:
        assert (authenticator.authenticate(issued.token, now) is not None) is (now in good)
        before = now < NOW - leeway  # who was taken is not sent away because the clock was set back
        assert authenticator.still_valid(issued.identity, now) is (before or now in good)


def test_audience_and_issuer_are_compared(setting):
    elsewhere = TokenIssuer(setting.keys, audience="staging", issuer="office")
    token = elsewhere.issue(ANA, NOW).token
    assert setting.believes(token) is None
    assert setting.another(audience="staging").authenticate(token, NOW) is None
    assert setting.another(audience="staging", issuer="office").authenticate(token, NOW)


def test_a_token_is_verified_once(setting, verifications):
    token = setting.issue().token
    assert all(setting.believes(token) for _ in range(1_000))
    assert len(verifications) == 1


def test_how_many_are_remembered_is_bounded_and_the_latest_stay(setting, verifications):
    setting.authenticator = setting.another(most_known=2)
    one, two, three = (setting.issue().token for _ in range(3))
    for token in (one, two, one, three, one):
        assert setting.believes(token)
    assert len(verifications) == 3
    assert setting.believes(two)
    assert len(verifications) == 4


def test_the_token_itself_is_not_remembered(setting):
    token = setting.issue().token
    assert setting.believes(token)
    assert token not in repr(vars(setting.authenticator))


def test_a_new_key_of_another_process_is_known_without_a_restart(setting):
    old = setting.issue()
    assert setting.believes(old.token)
    assert rotate_elsewhere(setting.keys.path).wait(60) == 0
    new = setting.issue()
    assert new.identity.key_id != old.identity.key_id
    assert setting.believes(new.token) == new.identity
    assert setting.believes(old.token) == old.identity


def test_what_a_retired_key_has_signed_is_worthless_at_once(setting):
    old = setting.issue()
    assert setting.believes(old.token)
    setting.keys.rotate()
    setting.keys.retire(old.identity.key_id)
    assert setting.believes(old.token) is None
    assert not setting.authenticator.still_valid(old.identity, NOW)


def test_what_another_process_revokes_is_worthless_at_once(setting):
    one, two = setting.issue(), setting.issue()
    assert setting.believes(one.token)
    assert revoke_elsewhere(setting.revocations.path, one.identity.token_id).wait(60) == 0
    assert not setting.authenticator.still_valid(one.identity, NOW)
    assert setting.believes(one.token) is None
    assert setting.believes(two.token)


def test_of_a_revoked_principal_new_tokens_are_good(setting):
    old, new = setting.issue(), setting.issuer.issue(ANA, NOW + 2)
    setting.revocations.revoke_principal(ANA, NOW + 1)
    assert setting.believes(old.token, NOW + 2) is None
    assert setting.believes(new.token, NOW + 2)


@pytest.mark.parametrize("file", ["keys", "revocations"])
def test_while_a_file_cannot_be_used_nobody_is_believed(setting, caplog, file):
    issued, path = setting.issue(), getattr(setting, file).path
    assert setting.believes(issued.token)
    path.chmod(0o644)
    for _ in range(3):
        assert setting.believes(issued.token) is None
        assert not setting.authenticator.still_valid(issued.identity, NOW)
    (error,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert str(path) in error.getMessage()
    path.chmod(0o600)
    assert setting.authenticator.still_valid(issued.identity, NOW)
    assert setting.believes(issued.token)


def test_an_identity_of_no_key_of_the_ring_is_not_valid(setting):
    issued = setting.issue()
    assert not setting.authenticator.still_valid(
        type(issued.identity)(ANA, None, frozenset(), "0" * 32, NOW, NOW + 9), NOW
    )


def test_why_a_token_was_refused_is_in_the_log_only(setting, caplog):
    caplog.set_level(logging.INFO, "facets.link")
    issued = setting.issue(lifetime=60)
    setting.believes("nonsense")
    setting.believes(changed(issued.token, 2))
    setting.believes(issued.token, NOW + 60)
    setting.revocations.revoke_token(issued.identity.token_id, NOW + 60)
    setting.believes(issued.token)
    assert [record.getMessage() for record in caplog.records] == [
        "a token was refused: it is none",
        "a token was refused: its signature is wrong",
        f"a token was refused: expired (id {issued.identity.token_id}, user:ana)",
        f"a token was refused: revoked (id {issued.identity.token_id}, user:ana)",
    ]


def test_no_part_of_a_token_and_no_key_is_in_any_text(setting, caplog):
    caplog.set_level(1)
    issued, watch = setting.issue(name="Ana"), Watch()
    private = json.loads(setting.keys.path.read_text())["keys"][0]["d"]
    for token in (issued.token, changed(issued.token, 1), unsigned(setting.keys, claims()), issued.token * 9):
        setting.believes(token)
        setting.believes(token, NOW + 1e6)
    watch.note(repr(issued), repr(setting.authenticator), repr(vars(setting.authenticator)), repr(setting.issuer))
    with pytest.raises(InvalidToken) as refused:
        setting.issue(scopes=["*"])
    watch.refused(refused.value)
    watch.note(*(repr(vars(record)) + record.getMessage() for record in caplog.records))
    header, payload, signature = issued.token.split(".")
    assert not [text for text in watch.texts if any(part in text for part in (private, header, payload, signature))]
