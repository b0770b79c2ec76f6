"""For testing flows that ask people: a host in virtual time, scripted people, and captured reports.

    async def test_two_of_three(autojump_clock):
        async with open_rig() as rig:
            ana, bo, cy = await rig.people("ana", "bo", "cy")
            asking = rig.ask(Confirm("Deploy?"), audience=[ana, bo, cy], policy=Quorum(2), timeout=60)
            rig.at(5, ana.answer, True)
            rig.at(9, bo.answer, True)
            collected = await asking.wait()
        assert collected.unanimous(True) and rig.now == 9

Virtual time is trio's `MockClock`: name pytest-trio's `autojump_clock` as a parameter of the test itself, and use
neither threads nor sockets under it. With a real clock everything here works too, in real time.

For testing something else that lets one ask and answer (a client, a relay), there is `check_questions`; for an
engine of a durable store `check_backend`, and for an adapter of a channel of gates `check_channel`.
"""

from .asking import Asking
from .channel_stage import ChannelCase, ChannelStage, OpenChannelStage
from .channels import CHANNEL_CASES, check_channel
from .conformance import QUESTION_CASES, check_questions
from .engine_stage import EngineCase, EngineStage, OpenEngineStage
from .engines import BACKEND_CASES, check_backend
from .rig import EPOCH, Person, Rig, open_rig
from .stage import OpenStage, QuestionCase, Stage

__all__ = [
    "BACKEND_CASES",
    "CHANNEL_CASES",
    "EPOCH",
    "QUESTION_CASES",
    "Asking",
    "ChannelCase",
    "ChannelStage",
    "EngineCase",
    "EngineStage",
    "OpenChannelStage",
    "OpenEngineStage",
    "OpenStage",
    "Person",
    "QuestionCase",
    "Rig",
    "Stage",
    "check_backend",
    "check_channel",
    "check_questions",
    "open_rig",
]
