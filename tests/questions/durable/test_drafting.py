"""Raising: each limit from both sides, each fault with its path, and nothing for what is at fault."""

import math

import pytest

from facets import Principal
from questions.durable.caller import Caller
from questions.durable.decision import LONGEST_CHAIN, Option, RaisedBy, flat
from questions.durable.drafting import LONGEST_MS, check_id
from questions.durable.errors import BadArgument
from tests.questions.durable.cases import HOP, MAIN, OPTS, WORKER, T, climbing, in_call, raised
from tests.questions.samples import paths

EMOJI = "\N{PARTY POPPER}"
SUPERVISED = [f"supervisor:run-{number}" for number in range(9)]


def faults(caller=MAIN, **fields):
    """Where the faults of a raise are."""
    with pytest.raises(BadArgument) as refused:
        raised(caller, **fields)
    return paths(refused.value)


def options(count):
    return [{"id": f"o{number}", "label": f"Option {number}"} for number in range(count)]


def test_a_confirm_gets_yes_and_no_and_all_else_its_usual_value():  # case 1
    assert flat(raised(input="confirm")) == {
        "id": "dec_abcdefgh12",
        "kind": "question",
        "title": "Ship it?",
        "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}],
        "input": "confirm",
        "raisedBy": {"participantId": "session:main"},
        "holder": "user",
        "createdAt": T,
        "onExpire": "cancel",
        "status": "open",
        "schema": 1,
        "version": 1,
    }


@pytest.mark.parametrize("title", ["", "x" * 201, EMOJI * 201, " \n\t", 5, True, b"x", "\ud800"])
def test_a_title_of_another_length_or_kind_is_refused(title):  # case 2
    assert faults(title=title) == ["$.title"]


def test_a_title_is_needed():
    assert faults(title=None) == ["$.title"]


@pytest.mark.parametrize("title", ["x" * 200, EMOJI * 200, "  x  ", "\x1b[31mred"])
def test_a_title_is_kept_as_it_is_and_counted_in_code_points(title):  # case 2
    assert raised(title=title).title == title


def test_a_body_may_be_empty_and_not_too_long():  # case 4
    assert faults(body="x" * 4_001) == ["$.body"]
    assert raised(body="x" * 4_000).body == "x" * 4_000
    assert flat(raised(body=""))["body"] == ""


def test_a_select_needs_options_one_to_twelve():  # case 5
    assert faults(input="select") == ["$.options"]
    assert faults(options=options(13)) == ["$.options"]
    assert faults(options=[]) == ["$.options"]
    assert raised(options=options(12)).input == "select"


def test_options_keep_their_order():
    assert raised(options=[*reversed(options(12))]).options == tuple(Option(**each) for each in reversed(options(12)))


def test_an_option_may_be_an_option():
    assert raised(options=(Option("a", "A"),)) == raised(options=[{"id": "a", "label": "A"}])


def test_two_options_with_one_id_are_refused():  # case 6
    assert faults(options=[{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]) == ["$.options[1].id"]


@pytest.mark.parametrize("id", ["", "-a", ".a", "a b", "a\n", "x" * 65, "é", "١", None, 1])
def test_an_option_with_a_malformed_id_is_refused(id):
    assert faults(options=[*OPTS, {"id": id, "label": "X"}]) == ["$.options[2].id"]


def test_every_fault_of_every_option_is_named():
    given = [{"id": "0", "label": ""}, "a", {"id": "b", "label": "B", "hint": "?"}, {"label": "C"}]
    found = ["$.options[0].label", "$.options[1]", "$.options[2].hint", "$.options[3].id"]
    assert faults(options=given) == found


@pytest.mark.parametrize("given", ["ab", {"a": "A"}, 1, {"id"}])
def test_options_are_a_sequence(given):
    assert faults(options=given) == ["$.options"]


def test_a_confirm_with_options_keeps_them():  # case 8
    given = [{"id": "ship", "label": "Ship"}, {"id": "hold", "label": "Hold"}]
    assert flat(raised(input="confirm", options=given))["options"] == given


@pytest.mark.parametrize("input", ["text", "editor"])
def test_a_text_takes_no_options(input):  # case 8
    assert faults(input=input, options=OPTS) == ["$.options"]
    assert raised(input=input).options is None


def test_without_options_the_input_is_a_text():
    assert raised().input == "text"


@pytest.mark.parametrize("holder", ["admin", "supervisor:", "supervisor:-x", f"supervisor:{'x' * 129}", "User", 1])
def test_a_holder_of_another_form_is_refused(holder):  # case 9
    assert faults(holder=holder) == ["$.holder"]


@pytest.mark.parametrize("holder", ["user", "root", "supervisor:run-lead", f"supervisor:{'x' * 128}"])
def test_a_holder_is_kept(holder):  # case 9
    assert raised(holder=holder).holder == holder
    assert raised().holder == "user"


@pytest.mark.parametrize("offset", [-1, 0, 0.5, LONGEST_MS + 0.5, LONGEST_MS + 1])
def test_a_deadline_out_of_range_is_refused(offset):  # case 11
    assert faults(deadline=T + offset) == ["$.deadline"]


@pytest.mark.parametrize("offset", [1, LONGEST_MS])
def test_a_deadline_in_range_is_kept(offset):  # case 11
    assert raised(deadline=T + offset).deadline == T + offset


@pytest.mark.parametrize("timeout", [999, 999.9, 2_678_400_000, LONGEST_MS + 1, -5_000, 0])
def test_a_timeout_out_of_range_is_refused(timeout):  # case 12
    assert faults(timeout_ms=timeout) == ["$.timeout_ms"]


def test_a_timeout_is_rounded_down():  # case 12
    assert raised(timeout_ms=1_000).deadline == T + 1_000
    assert raised(timeout_ms=1_500.9).deadline == T + 1_500
    assert raised(timeout_ms=LONGEST_MS).deadline == T + LONGEST_MS
    assert raised().deadline is None


@pytest.mark.parametrize("number", [True, math.nan, math.inf, -math.inf, "5000", 5_000j, 10**400, [5_000]])
def test_what_is_no_number_is_refused_where_one_is_asked(number):
    assert faults(timeout_ms=number) == ["$.timeout_ms"]
    assert faults(deadline=number) == ["$.deadline"]
    fields = climbing(escalation={"hop_timeout_ms": number})
    assert faults(**fields) == ["$.escalation.hop_timeout_ms"]


def test_a_deadline_and_a_timeout_exclude_each_other():  # case 13
    assert faults(deadline=T + 5_000, timeout_ms=5_000) == ["$.deadline"]


def test_a_default_needs_a_time_and_an_option():  # case 14
    fields = {"options": OPTS, "on_expire": "default"}
    assert faults(default_option_id="keep", **fields) == ["$.on_expire"]
    assert faults(timeout_ms=1_000, **fields) == ["$.default_option_id"]
    assert raised(default_option_id="keep", timeout_ms=1_000, **fields).default_option_id == "keep"
    assert raised(input="confirm", on_expire="default", default_option_id="no", timeout_ms=1_000).on_expire == "default"


@pytest.mark.parametrize("default", ["b", "", 1, ["a"]])
def test_a_default_that_is_no_option_is_refused_whatever_expiry_does(default):  # case 15
    given = {"options": [{"id": "a", "label": "A"}], "on_expire": "cancel"}
    assert faults(default_option_id=default, **given) == ["$.default_option_id"]
    assert faults(default_option_id="a") == ["$.default_option_id"]  # a text has none


def test_what_is_not_known_is_refused():  # case 16, case 17
    assert faults(on_expire="later") == ["$.on_expire"]
    assert faults(escalation={}, on_expire="cancel") == ["$.escalation"]
    assert faults(kind="poll", input="slider") == ["$.kind", "$.input"]
    assert faults(extra=1) == ["$.extra"]
    assert faults(extra=None) == ["$.extra"]
    assert faults(**{"\x1b[2J" * 50: 1}) == ["$." + "\\x1b[2J" * 16]


def test_all_faults_are_named_at_once():
    found = faults(title="", body=1, holder="x", on_expire="escalate", timeout_ms=1, escalation={"chain": [], "x": 1})
    where = ["$.title", "$.body", "$.holder", "$.timeout_ms", "$.escalation.x", "$.escalation.chain"]
    assert found == where


def test_no_fault_repeats_what_was_given():
    with pytest.raises(BadArgument) as refused:
        raised(title="hush" * 100, kind="hush", holder="hush", options=[{"id": "hush!", "label": 1}])
    assert "hush" not in str(refused.value)


# --- chains ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("holder", "chain"),
    [
        ("supervisor:run-lead", ("supervisor:run-lead", "root", "user")),
        ("root", ("root", "user")),
        ("user", ("user",)),
    ],
)
def test_a_chain_climbs_to_the_root_and_to_people(holder, chain):  # case 48
    escalation = raised(holder=holder, on_expire="escalate").escalation
    assert escalation is not None
    assert escalation.chain == chain


def test_a_chain_without_times_gives_each_holder_ten_minutes():  # case 49
    shown = flat(raised(holder="supervisor:run-lead", on_expire="escalate"))
    assert shown["deadline"] == T + 600_000
    chain = ["supervisor:run-lead", "root", "user"]
    assert shown["escalation"] == {"chain": chain, "hop": 0, "hopTimeoutMs": 600_000, "onFinal": "cancel"}
    assert "history" not in shown


def test_a_time_of_its_own_is_the_first_holder_s():  # case 50
    decision = raised(holder="root", on_expire="escalate", timeout_ms=5_000)
    assert decision.deadline == T + 5_000
    assert decision.escalation is not None
    assert (decision.escalation.chain, decision.escalation.hop_timeout_ms) == (("root", "user"), 600_000)


@pytest.mark.parametrize(
    ("escalation", "found"),
    [
        ({"chain": ["user", "root"]}, ["$.escalation.chain[0]"]),
        ({"chain": ["root", "user", "root"]}, ["$.escalation.chain[2]"]),
        ({"chain": []}, ["$.escalation.chain"]),
        ({"chain": ["root", *SUPERVISED[:8]]}, ["$.escalation.chain"]),
        ({"chain": ["root", "admin"]}, ["$.escalation.chain[1]"]),
        ({"chain": "root"}, ["$.escalation.chain"]),
        ({"chain": None}, ["$.escalation.chain"]),
        ({"chain": ["root", None]}, ["$.escalation.chain[1]"]),  # case 52
        ({"hop_timeout_ms": 999}, ["$.escalation.hop_timeout_ms"]),
        ({"hop_timeout_ms": 691_200_000}, ["$.escalation.hop_timeout_ms"]),
        ({"hop_timeout_ms": None}, ["$.escalation.hop_timeout_ms"]),
        ({"on_final": "default"}, ["$.default_option_id"]),
        ({"on_final": "later"}, ["$.escalation.on_final"]),
        ({"extra": 1}, ["$.escalation.extra"]),
        ({"hop": 1}, ["$.escalation.hop"]),
        (["root"], ["$.escalation"]),
    ],
)
def test_a_chain_that_cannot_be_is_refused(escalation, found):  # case 51
    assert faults(holder="root", on_expire="escalate", escalation=escalation) == found


def test_a_chain_without_a_holder_is_told_that_people_are_first():
    with pytest.raises(BadArgument, match="the first entry is the holder, which is user if none is named"):
        raised(on_expire="escalate", escalation={"chain": ["root", "user"]})


def test_a_chain_at_its_limits_is_accepted():  # case 52
    chain = SUPERVISED[:LONGEST_CHAIN]
    decision = raised(**climbing(SUPERVISED[0], escalation={"chain": chain, "hop_timeout_ms": 604_800_000}))
    assert decision.escalation is not None
    assert list(decision.escalation.chain) == chain
    assert decision.deadline == T + 604_800_000


def test_the_time_of_a_hop_is_rounded_down():  # case 52
    decision = raised(**climbing(escalation={"hop_timeout_ms": 2_000.7}))
    assert decision.escalation is not None
    assert decision.escalation.hop_timeout_ms == 2_000


def test_what_was_given_can_change_without_the_decision():
    chain, given = ["root", "user"], [*OPTS]
    decision = raised(options=given, **climbing("root", escalation={"chain": chain, "hop_timeout_ms": HOP}))
    before = flat(decision)
    chain.clear()
    given.clear()
    assert flat(decision) == before


# --- by whom --------------------------------------------------------------------------------------------------------


def test_a_decision_says_who_raised_it_and_in_what():
    caller = Caller(Principal.program("run-worker"), session="s1", call="call-1")
    assert raised(caller, run_id="r1").raised_by == RaisedBy("run-worker", "r1", "s1", "call-1")
    assert raised(Caller(Principal.user("ana"))).raised_by == RaisedBy("user:ana")


def test_a_session_and_a_call_can_be_named():
    caller = Caller(Principal.program("run-worker"), session="s1", call="call-1")
    assert raised(caller, session_id="s2", call="call-2").raised_by == RaisedBy("run-worker", None, "s2", "call-2")


@pytest.mark.parametrize("name", ["run_id", "session_id", "call"])
@pytest.mark.parametrize("value", ["", " ", "x" * 201, 1])
def test_a_run_a_session_and_a_call_are_short_texts(name, value):
    assert faults(in_call(WORKER, "call-1"), **{name: value}) == [f"$.{name}"]


@pytest.mark.parametrize(
    "id", ["nope", "dec_abcdefg", f"dec_{'x' * 65}", "dec_abcdefgh\n", "DEC_abcdefgh", "", None, 5]
)
def test_an_id_of_another_form_is_refused(id):  # case 29
    with pytest.raises(BadArgument):
        check_id(id)


@pytest.mark.parametrize("id", ["dec_abcdefgh", "dec_abcdefgh12", f"dec_{'_-' * 32}"])
def test_an_id_of_the_right_form_is_given_back(id):
    assert check_id(id) == id
