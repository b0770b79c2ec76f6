"""Who may ask, view and answer: three rights, one function, closed to whatever is not named."""

import pytest

from facets import Forbidden, Principal
from questions import NotInAudience, OwnerScope, SessionScope, UnknownQuestion
from questions.authority import authorize, may_answer, may_ask, may_view, shows
from questions.entry import Answer, Left
from questions.policies import All
from tests.questions.samples import ANA, BO, CY, HOST, RUN, after, an_entry
from tests.rules import rule

GUEST, WORKER = Principal.guest("g"), Principal.worker("s1")
EVERYBODY = [ANA, GUEST, RUN, WORKER, HOST]
S1, S2, ANAS = SessionScope("s1"), SessionScope("s2"), OwnerScope(ANA)


def allowed(*args):
    """Whether `authorize` returns; what it raises else has to be Forbidden."""
    try:
        authorize(*args)
    except Forbidden:
        return False
    return True


@rule("Q-AUTH-1")
@pytest.mark.parametrize(
    ("scope", "askers"),
    [(S1, [WORKER, HOST]), (S2, [HOST]), (ANAS, [HOST]), (OwnerScope(WORKER), [HOST])],
    ids=str,
)
def test_servers_ask_anywhere_and_a_worker_in_its_own_session(scope, askers):
    assert [who for who in EVERYBODY if may_ask(who, scope)] == askers
    assert [who for who in EVERYBODY if allowed(who, "ask", scope)] == askers


@rule("Q-AUTH-1")
def test_people_and_programs_do_not_ask_though_they_are_called_like_the_session():
    namesakes = [Principal(kind, "s1") for kind in ("user", "guest", "program", "worker", "server")]
    assert [str(who) for who in namesakes if may_ask(who, S1)] == ["worker:s1", "server:s1"]


@rule("Q-AUTH-1", "Q-SEC-1")
def test_only_a_server_puts_a_secret_question():
    assert [who for who in EVERYBODY if allowed(who, "ask secret", S1)] == [HOST]


@rule("Q-AUTH-2")
@pytest.mark.parametrize(
    ("scope", "levels"),
    [
        (S1, ["own", "own", "own", "none", "none"]),
        (ANAS, ["all", "none", "none", "none", "none"]),
        (OwnerScope(BO), ["none", "none", "none", "none", "none"]),
        (OwnerScope(RUN), ["none", "none", "all", "none", "none"]),
        (OwnerScope(HOST), ["none", "none", "none", "none", "none"]),
    ],
    ids=str,
)
def test_by_default_one_views_ones_own_in_a_session_and_everything_in_ones_own_scope(scope, levels):
    assert [may_view(who, scope) for who in EVERYBODY] == levels


@rule("Q-AUTH-1", "Q-AUTH-2")
@pytest.mark.parametrize("level", ["own", "all"])
def test_a_view_is_for_people_and_programs(level):
    assert [who for who in EVERYBODY if allowed(who, "view", S1, level)] == [ANA, GUEST, RUN]


@rule("Q-AUTH-2")
@pytest.mark.parametrize("level", ["none", "", "ALL", None, True, 1, ["own"]])
def test_whatever_else_a_rule_says_is_no_right_to_view(level):
    assert not [who for who in EVERYBODY if allowed(who, "view", S1, level)]
    assert not allowed(ANA, "view", S1)


@rule("Q-AUTH-2")
def test_the_audience_answers_and_nobody_else():
    entry = an_entry(ANA, GUEST)
    assert [who for who in EVERYBODY if may_answer(who, entry)] == [ANA, GUEST]
    assert may_answer(ANA, after(an_entry(ANA, BO, policy=All()), Answer(ANA, True)))
    assert not may_answer(ANA, after(entry, Left((ANA,))))


@rule("Q-AUTH-4")
def test_a_program_never_answers_what_its_own_run_asks():
    """Not even if it got into the audience, which nothing lets it."""
    assert not may_answer(RUN, an_entry(ANA, RUN, on_behalf_of=RUN))
    assert may_answer(ANA, an_entry(ANA, RUN, on_behalf_of=RUN))
    assert may_answer(RUN, an_entry(ANA, RUN, on_behalf_of=Principal.program("run-2")))


@rule("Q-AUTH-2")
@pytest.mark.parametrize(
    ("level", "in_it", "outside"),
    [("all", True, True), ("own", True, False), ("none", False, False), ("", False, False)],
)
def test_a_view_shows_what_its_level_says(level, in_it, outside):
    assert (shows(ANA, an_entry(ANA), level), shows(BO, an_entry(ANA), level)) == (in_it, outside)


ENTRY = after(an_entry(ANA, BO, CY, policy=All()), Answer(BO, True), Left((CY,)))


@rule("Q-AUTH-2", "Q-SET-3")
@pytest.mark.parametrize(
    ("who", "level", "refusal"),
    [
        (ANA, "own", None),
        (ANA, "none", None),
        (BO, "own", None),
        (CY, "own", NotInAudience),
        (CY, "none", NotInAudience),
        (GUEST, "all", NotInAudience),
        (GUEST, "own", UnknownQuestion),
        (GUEST, "none", UnknownQuestion),
        (HOST, "none", UnknownQuestion),
    ],
)
def test_who_may_not_answer_learns_of_the_question_only_what_they_can_or_could_see(who, level, refusal):
    if refusal is None:
        authorize(who, "answer", ENTRY, level)
        return
    with pytest.raises(refusal) as caught:
        authorize(who, "answer", ENTRY, level)
    assert caught.value.id == "q_1"


@rule("Q-AUTH-2", "Q-AUTH-4")
@pytest.mark.parametrize(("level", "refusal"), [("own", NotInAudience), ("none", UnknownQuestion)])
def test_a_program_that_may_not_answer_its_own_question_is_told_so_if_it_can_see_it(level, refusal):
    with pytest.raises(refusal):
        authorize(RUN, "answer", an_entry(ANA, RUN, on_behalf_of=RUN), level)


@rule("Q-AUTH-2")
def test_without_a_level_nothing_is_viewed():
    with pytest.raises(UnknownQuestion):
        authorize(GUEST, "answer", ENTRY)


@rule("Q-AUTH-3")
@pytest.mark.parametrize("who", [HOST, ANA], ids=str)
@pytest.mark.parametrize("act", ["", "cancel", "ASK", None])
def test_a_right_that_nobody_knows_is_nobodys(who, act):
    with pytest.raises(Forbidden, match=r"^forbidden: there is no such right$"):
        authorize(who, act, S1, "all")


@rule("Q-AUTH-1")
def test_a_refusal_says_who_may_not_do_what():
    with pytest.raises(Forbidden, match=r"^forbidden: user:ana may not ask in session:s1$"):
        authorize(ANA, "ask", S1)
    with pytest.raises(Forbidden, match=r"^forbidden: server:host may not view owner:user:ana$"):
        authorize(HOST, "view", ANAS, "all")
    with pytest.raises(Forbidden, match=r"^forbidden: only a server may ask for a secret$"):
        authorize(WORKER, "ask secret", S1)
