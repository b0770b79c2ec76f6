"""Processes of channels that break the rules: fenced off, ended within a bound, and nothing of theirs counts."""

import fcntl
import json
import sys

import pytest
import trio

from questions.gates import Launch
from questions.gates.channel_child import Told, run_child
from questions.gates.channel_messages import Exiting, Ready, Stop

LAUNCH = Launch("approval", "epoch-1", "s3cret", ("100",), ("-200",), "7", bytes(32))
# What a program needs to say something by hand: `say(sequence, **fields)`, and `hear()` for the answer.
SPEAKING = """
import hashlib, json, sys, time
launch = json.loads(sys.stdin.readline())
def say(sequence, revision=0, text=None, **fields):
    said = {"type": "channel.ready", "schema": launch["schema"], "adapterEpoch": launch["epoch"],
            "profile": launch["profile"], "sequence": sequence, "expectedRevision": revision, "cursor": "0",
            "stableMessageId": "channel-" + hashlib.sha256(str(text or sequence).encode()).hexdigest(), **fields}
    print(json.dumps(said), flush=True)
def hear():
    return json.loads(sys.stdin.readline())
"""


async def run(program, heard=None, told=None, **options):
    """How a program ends, and what was heard from it."""
    bodies = [] if heard is None else heard

    async def hear(body):
        bodies.append(body)
        return told or Told(accepted=True, revision=3)

    command = (sys.executable, "-c", SPEAKING + program)
    with trio.fail_after(20):
        ended = await run_child(command, LAUNCH, 3, hear, **options)
    return ended, bodies


async def test_a_process_is_told_what_it_is_launched_with_and_then_says_what_it_wants():
    ended, heard = await run("say(1); hear(); say(2, 3, type='channel.exiting', cursor=launch['cursor']); hear()")
    assert heard == [Ready("0"), Exiting("7")]
    assert ended.status == 0


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("say(1, adapterEpoch='epoch-0'); hear(); hear()", "another_epoch"),
        ("say(1, profile='other'); hear(); hear()", "another_epoch"),
        ("say(2); hear(); hear()", "out_of_sequence"),
        ("say(1, 3); hear(); hear()", "another_revision"),
        ("say(1); hear(); say(2, 0); hear(); hear()", "another_revision"),
        ("say(1); hear(); say(3, 3); hear(); hear()", "out_of_sequence"),
        ("say(1); hear(); say(1, cursor='9'); hear(); hear()", "same_id_other_content"),
        ("print('hello', flush=True); hear()", "no message"),
        ("say(1, extra=1); hear()", "$.extra: not known"),
        ("print('x' * 2**21, flush=True); hear()", "a line of more than 1048576 bytes"),
        ("sys.exit(5)", "it has ended"),
    ],
)
async def test_a_process_that_breaks_the_rules_is_ended(program, why):
    ended, heard = await run(program)
    assert why in ended.why
    assert len(heard) <= 1
    assert "s3cret" not in ended.why


async def test_who_is_refused_is_told_why():
    ended, _ = await run("say(2); sys.exit(7 if hear()['error'] == 'out_of_sequence' else 8)")
    assert ended.status == 7


async def test_what_is_said_twice_is_heard_once_and_answered_twice():  # case 55
    program = "say(1); one = hear(); say(1); sys.exit(7 if hear() == one else 8)"
    ended, heard = await run(program)
    assert ended.status == 7
    assert len(heard) == 1


async def test_a_process_that_says_nothing_is_ended_in_time():
    ended, _ = await run("time.sleep(60)", patience=0.2)
    assert "more than 0.2 seconds" in ended.why
    assert ended.status == -9


async def test_a_process_that_never_ends_is_killed_within_a_bound():
    ended, _ = await run("say(1); hear(); say(2, 0); time.sleep(60)")
    assert ended.status == -9


async def test_a_process_that_was_stopped_is_killed_in_time():
    ended, _ = await run("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", patience=0.5)
    assert ended.status == -9


async def test_what_a_process_has_started_ends_with_it(tmp_path):
    """Both hold a lock on a file, which is free again when the last of them has ended."""
    held = tmp_path / "held"
    program = f"import fcntl, os; file = open({str(held)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
    ended, _ = await run(program + "if os.fork() == 0: time.sleep(60)\nsay(1); hear(); os._exit(5)")
    assert ended.status == 5
    with held.open() as file, trio.fail_after(20):
        await trio.to_thread.run_sync(fcntl.flock, file, fcntl.LOCK_EX)


async def test_what_it_was_launched_with_is_not_told_though_a_process_says_it():
    ended, _ = await run("say(1, **{launch['token']: 1}); hear()")
    assert "not known" in ended.why
    assert "s3cret" not in ended.why


async def test_a_process_that_is_told_to_stop_says_so_and_ends():
    program = "say(1); assert hear()['command']['type'] == 'channel.stop'; say(2, 3, type='channel.exiting'); hear()"
    ended, heard = await run(program, told=Told(accepted=True, revision=3, command=Stop()))
    assert heard[-1] == Exiting("0")
    assert ended.status == 0


async def test_what_a_process_prints_as_an_error_goes_nowhere(capfd):
    await run("print(launch['token'], file=sys.stderr); say(1); hear()")
    assert "s3cret" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("given", "status"),
    [(b"", 0), (b"nonsense\n", 2), (json.dumps({"type": "channel.launch"}).encode() + b"\n", 2)],
    ids=["its server has gone", "no message", "no launch"],
)
async def test_an_adapter_without_a_proper_launch_ends_at_once(given, status):
    command = [sys.executable, "-m", "tests.questions.gates.line_channel"]
    with trio.fail_after(20):
        ended = await trio.run_process(command, stdin=given, check=False, capture_stdout=True)
    assert (ended.returncode, ended.stdout) == (status, b"")
