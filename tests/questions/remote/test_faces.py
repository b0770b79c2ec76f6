"""What askers and viewers offer over links: a real host, and peers whose sockets are lists."""

from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from facets import Principal
from questions.remote.faces import QUESTIONS
from questions.testing import EPOCH, open_rig
from tests.facets.link.desks import Peer
from tests.questions.steps import endings, opened, said, store_of
from tests.rules import rule

CONFIRM = {"kind": "confirm", "message": "Deploy?"}
ANA = {"kind": "user", "id": "ana"}


class Stage:
    """A rig, and whoever uses it over links."""

    def __init__(self, rig, nursery):
        self.rig = rig
        self._nursery = nursery

    def peer(self, principal):
        return Peer(self.rig.host, self._nursery, principal)

    def asker(self, principal=Principal.server("host")):  # noqa: B008  # immutable
        return self._got(principal)

    def viewer(self, name, kind="user"):
        return self._got(Principal(kind, name))

    def _got(self, principal):
        peer = self.peer(principal)
        return peer, peer.got("questions", input={"session": self.rig.scope.session})


@asynccontextmanager
async def open_stage(**settings):
    async with open_rig(**settings) as rig, trio.open_nursery() as nursery:
        yield Stage(rig, nursery)
        nursery.cancel_scope.cancel()


def called(asker, **args):
    """Ask. The id of the call, and what it came to at once."""
    peer, questions = asker
    return peer.called(questions, "ask", **{"question": CONFIRM, "audience": [ANA], **args})


async def ask(asker, **args):
    """Begin to ask. The id of the call."""
    id, replies = called(asker, **args)
    assert replies == []
    await trio.testing.wait_all_tasks_blocked()
    return id


def open_ids(stage):
    return list(store_of(stage.rig)._open)


async def test_an_asker_asks_and_a_viewer_answers(autojump_clock):
    async with open_stage() as stage:
        asker, viewer = stage.asker(), stage.viewer("ana")
        call = await ask(asker)
        peer, questions = viewer
        _, [snapshot] = peer.watching(questions, "open")
        [id] = snapshot["value"]
        assert peer.called(questions, "answer", id=id, value=True) == (3, [{"type": "returned", "id": 3}])
        [returned] = await asker[0].later()
        ana = {**ANA, "name": "ana"}
        assert returned == {
            "type": "returned",
            "id": call,
            "value": {"by": ana, "answer": True, "automatic": False, "secret": False},
        }
        [gone] = [one for one in await peer.later() if one["id"] == 2]
        assert gone["drop"] == {id: "answered"}


@rule("Q-AUTH-1")
@pytest.mark.parametrize("kind", ["user", "guest", "program"])
async def test_a_viewer_has_no_ask(autojump_clock, kind):
    async with open_stage() as stage:
        peer, questions = stage.viewer("ana", kind)
        _, [refused] = peer.called(questions, "ask", question=CONFIRM, audience=[ANA])
        assert (refused["code"], open_ids(stage)) == ("forbidden", [])


@rule("Q-AUTH-1")
@pytest.mark.parametrize(("method", "readable"), [("answer", "open"), ("answer", "closed")])
async def test_an_asker_neither_views_nor_answers(autojump_clock, method, readable):
    async with open_stage() as stage:
        peer, questions = stage.asker()
        assert peer.called(questions, method, id="q", value=True)[1][0]["code"] == "forbidden"
        assert peer.watching(questions, readable)[1][0]["code"] == "forbidden"


@rule("Q-AUTH-1")
async def test_a_worker_asks_in_its_own_session_only(autojump_clock):
    async with open_stage() as stage:
        session = stage.rig.scope.session
        assert stage.asker(Principal.worker(session))[1] == 1
        peer = stage.peer(Principal.worker("another"))
        _, [refused] = peer.new("get", kind="questions", input={"session": session})
        assert refused["code"] == "forbidden"


@rule("Q-AUTH-1")
async def test_nobody_passes_a_principal_in(autojump_clock):
    async with open_stage() as stage:
        peer, questions = stage.asker()
        for name in ("asker", "principal", "by", "is_away", "live", "members"):
            args = {"question": CONFIRM, "audience": [ANA], name: {"kind": "server", "id": "x"}}
            _, [refused] = peer.called(questions, "ask", **args)
            assert refused["data"] == {"faults": [f"$.args.{name}: ask takes no such argument"]}


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ({"question": {"kind": "confirm", "message": ""}}, "$.args.question.message: must not be empty or blank"),
        ({"audience": "user:ana"}, "$.args.audience: must be a list"),
        ({"policy": {"kind": "quorum", "count": 0}}, "$.args.policy.count: a whole number from 1, below 2**53"),
        ({"key": 5}, "$.args.key: must be text"),
        ({"timeout": "60"}, "$.args.timeout: must be a number"),
        ({"attach_only": 1}, "$.args.attach_only: must be true or false"),
        ({"on_behalf_of": []}, "$.args.on_behalf_of: must be an object with kind, id and nothing else"),
    ],
)
async def test_a_bad_ask_is_refused_with_its_faults_and_nothing_is_published(autojump_clock, args, fault):
    async with open_stage() as stage:
        peer, questions = stage.asker()
        _, [refused] = peer.called(questions, "ask", **{"question": CONFIRM, "audience": [ANA], **args})
        assert (refused["code"], refused["data"]["faults"], open_ids(stage)) == ("invalid_call", [fault], [])


async def test_what_an_ask_alone_can_tell_is_refused_by_the_ask(autojump_clock):
    async with open_stage() as stage:
        _, [refused] = called(stage.asker(), audience=[])
        assert (refused["code"], refused["data"]["faults"]) == (
            "invalid_ask",
            ["$.audience: nobody is left in it who may answer"],
        )


async def test_a_bad_answer_is_refused_and_the_question_stays(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker())
        peer, questions = stage.viewer("ana")
        [id] = open_ids(stage)
        for bad, code in (("yes", "invalid_answer"), (1, "invalid_answer"), (None, "invalid_answer")):
            assert peer.called(questions, "answer", id=id, value=bad)[1][0]["code"] == code
        assert peer.called(questions, "answer", id="q_x", value=True)[1][0]["code"] == "unknown_question"
        stranger, others = stage.viewer("eve")
        assert stranger.called(others, "answer", id=id, value=True)[1][0]["code"] == "unknown_question"
        assert open_ids(stage) == [id]


@rule("Q-SEC-1")
async def test_a_secret_answer_is_in_no_refusal_and_no_log(autojump_clock, caplog):
    async with open_stage() as stage:
        await ask(stage.asker(), question={"kind": "text", "message": "Password?", "secret": True, "max_bytes": 3})
        peer, questions = stage.viewer("ana")
        [id] = open_ids(stage)
        _, [refused] = peer.called(questions, "answer", id=id, value="hunter2")
        assert refused["code"] == "invalid_answer"
        assert "hunter2" not in str(refused) + caplog.text


# --- the ends of an ask -------------------------------------------------------------------------------------------


@rule("Q-SET-6")
async def test_a_cancelled_ask_is_withdrawn(autojump_clock):
    async with open_stage() as stage:
        peer, _ = asker = stage.asker()
        call = await ask(asker)
        assert peer.say("cancel", id=call) == [{"type": "cancelled", "id": call}]
        assert (open_ids(stage), endings(stage.rig)) == ([], ["withdrawn"])


@rule("Q-KEY-3")
async def test_an_ask_with_a_key_outlives_its_link_and_is_attached_to_again(autojump_clock):
    async with open_stage() as stage:
        peer, _ = asker = stage.asker()
        await ask(asker, key="k1")
        [id] = open_ids(stage)
        peer.serving.end(lost=True)
        await peer.later()
        assert open_ids(stage) == [id]
        again = stage.asker()
        call = await ask(again, key="k1", attach_only=True)
        assert open_ids(stage) == [id]
        (ana,) = await stage.rig.people("ana")
        said(ana, True)
        [returned] = await again[0].later()
        assert (returned["id"], returned["value"]["answer"]) == (call, True)


@rule("Q-KEY-3")
async def test_an_ask_with_a_key_whose_asker_stays_away_is_withdrawn_after_a_while(autojump_clock):
    async with open_stage() as stage:
        peer, _ = asker = stage.asker()
        await ask(asker, key="k1")
        peer.serving.end(lost=True)
        await stage.rig.until(29)
        assert len(open_ids(stage)) == 1
        await stage.rig.until(31)
        assert (open_ids(stage), endings(stage.rig)) == ([], ["withdrawn"])


@rule("Q-KEY-3")
@pytest.mark.parametrize(("key", "lost"), [(None, True), ("k1", False), (None, False)])
async def test_an_ask_without_a_key_and_one_whose_asker_has_gone_is_withdrawn_at_once(autojump_clock, key, lost):
    async with open_stage() as stage:
        peer, _ = asker = stage.asker()
        await ask(asker, key=key)
        peer.serving.end(lost)
        await peer.later()
        assert (open_ids(stage), endings(stage.rig)) == ([], ["withdrawn"])


@rule("Q-KEY-2")
async def test_another_try_never_supersedes(autojump_clock):
    async with open_stage() as stage:
        asker = stage.asker()
        await ask(asker, key="k1")
        other = {"kind": "confirm", "message": "Something else?"}
        assert [one["code"] for one in called(asker, key="k1", question=other, attach_only=True)[1]] == ["superseded"]
        assert [one["code"] for one in called(asker, key="k1", question=other)[1]] == ["superseded"]  # the old ask
        assert endings(stage.rig) == ["superseded"]


@rule("Q-KEY-4")
async def test_the_result_is_kept_for_an_asker_that_was_away(autojump_clock):
    async with open_stage() as stage:
        peer, _ = asker = stage.asker()
        await ask(asker, key="k1")
        peer.serving.end(lost=True)
        (ana,) = await stage.rig.people("ana")
        said(ana, False)
        again = stage.asker()
        _, [returned] = called(again, key="k1", attach_only=True)
        assert returned["value"]["answer"] is False


@rule("Q-KEY-2", "Q-KEY-3")
def test_another_try_only_attaches_and_its_time_goes_on_from_the_first_one():
    again = QUESTIONS.face("asker").methods["ask"].again
    assert again is not None
    assert again({"question": CONFIRM}, 5.0) is None
    assert again({"key": None}, 5.0) is None
    assert again({"key": "k"}, 5.0) == {"key": "k", "attach_only": True}
    assert again({"key": "k", "timeout": 60}, 5.0) == {"key": "k", "attach_only": True, "deadline": 65.0}
    assert again({"key": "k", "deadline": 99.0}, 5.0) == {"key": "k", "attach_only": True, "deadline": 99.0}


async def test_a_deadline_is_an_instant_and_a_timeout_is_seconds(autojump_clock):
    async with open_stage() as stage:
        asker = stage.asker()
        await ask(asker, timeout=60)
        await ask(asker, deadline=EPOCH + 90)
        pending: Any = store_of(stage.rig)._open
        deadlines = [one.entry.ask.deadline.epoch for one in pending.values()]
        assert deadlines == [EPOCH + 60, EPOCH + 90]


# --- who is present -----------------------------------------------------------------------------------------------


@rule("Q-POL-2")
async def test_present_is_everyone_who_views_the_scope_now(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker(), audience={"present": ["user"]}, policy={"kind": "all"})
        ana, bo = await stage.rig.people("ana", "bo")
        stage.viewer("eve", "guest")
        await stage.rig.quiet()
        [pending] = store_of(stage.rig)._open.values()
        assert [one.id for one in pending.entry.members] == ["ana", "bo"]
        bo.lose()
        await stage.rig.quiet()
        assert [one.id for one in pending.entry.members] == ["ana"]
        assert said(ana, True) is None
        assert endings(stage.rig) == ["answered"]


@rule("Q-FAC-2")
async def test_a_viewer_whose_link_is_lost_is_not_present(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker(), audience={"present": ["user"]})
        peer, _ = stage.viewer("ana")
        await stage.rig.quiet()
        [pending] = store_of(stage.rig)._open.values()
        assert [one.id for one in pending.entry.members] == ["ana"]
        peer.serving.end(lost=True)
        await stage.rig.quiet()
        assert list(pending.entry.members) == []


# --- views --------------------------------------------------------------------------------------------------------


@rule("Q-POL-5")
async def test_what_is_watched_is_seen_once_it_is_acknowledged(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker())
        peer, questions = stage.viewer("ana")
        watch, [snapshot] = peer.watching(questions, "open")
        [pending] = store_of(stage.rig)._open.values()
        assert not pending.seen
        assert peer.say("ack", id=watch, revision=snapshot["revision"]) == []
        assert [one.id for one in pending.seen] == ["ana"]


@rule("Q-POL-5")
async def test_who_answers_has_seen_it(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker(), audience=[ANA, {"kind": "user", "id": "bo"}], policy={"kind": "all"})
        peer, questions = stage.viewer("ana")
        _, [snapshot] = peer.watching(questions, "open")
        peer.called(questions, "answer", id=next(iter(snapshot["value"])), value=True)
        [pending] = store_of(stage.rig)._open.values()
        assert [one.id for one in pending.seen] == ["ana"]


@rule("Q-VIEW-4")
async def test_closed_questions_are_told_with_how_and_by_whom(autojump_clock):
    async with open_stage() as stage:
        await ask(stage.asker())
        peer, questions = stage.viewer("ana")
        _, [first] = peer.watching(questions, "closed")
        assert first["value"] == {}
        [id] = open_ids(stage)
        peer.called(questions, "answer", id=id, value=True)
        [told] = [one for one in await peer.later() if one["type"] == "difference"]
        assert told["put"] == {
            id: {"id": id, "message": "Deploy?", "how": "answered", "by": [{**ANA, "name": "ana"}], "at": EPOCH}
        }


@rule("Q-AUTH-2")
async def test_who_may_view_nothing_gets_nothing(autojump_clock):
    async with open_stage(may_view=lambda principal, scope: "none") as stage:
        peer = stage.peer(Principal.user("ana"))
        _, [refused] = peer.new("get", kind="questions", input={"session": stage.rig.scope.session})
        assert refused["code"] == "forbidden"


@pytest.mark.parametrize("input", [None, {}, {"session": 5}, {"session": ""}, "s1", {"owner": "user:ana"}])
async def test_a_bad_scope_is_refused(autojump_clock, input):
    async with open_stage() as stage:
        _, [refused] = stage.peer(Principal.user("ana")).new("get", kind="questions", input=input)
        assert refused["code"] == "invalid_call"


@rule("Q-VIEW-2")
async def test_a_lost_view_goes_on_where_it_was(autojump_clock):
    async with open_stage() as stage:
        peer, questions = stage.viewer("ana")
        _, [first] = peer.watching(questions, "open")
        await opened(stage.rig, audience=[stage.rig.person("ana")])
        [difference] = await peer.later()
        peer.serving.end(lost=True)
        await opened(stage.rig, audience=[stage.rig.person("ana")])
        back, questions = stage.viewer("ana")
        back.serving.epochs = peer.epochs
        place = {"epoch": first["epoch"], "revision": difference["revision"]}
        _, [told] = back.watching(questions, "open", **place)
        assert (told["type"], told["base"], len(told["put"])) == ("difference", difference["revision"], 1)
