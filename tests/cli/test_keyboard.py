"""Single keys come from a real pseudo-terminal, and the terminal is afterwards as it was."""

import os
import pty
import termios

import pytest
import trio
import trio.testing

from questions.cli.demo.keyboard import Keyboard, keys_in


@pytest.fixture
def terminal():
    """(the end that types, the end that a program reads from)."""
    controller, fd = pty.openpty()
    yield controller, fd
    os.close(controller)
    os.close(fd)


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("yn", ["y", "n"]),
        ("\r\n", ["enter", "enter"]),
        ("\x7f\x08\t", ["backspace", "backspace", "tab"]),
        ("\x1b[B\x1bOB\x1b[6~", ["down", "down", "down"]),
        ("\x1b[A\x1b[1;5Cy", ["y"]),
        ("\x1b\x01\x04é日", ["é", "日"]),
    ],
)
def test_what_a_terminal_sends_becomes_keys(sent, keys):
    assert keys_in(sent) == keys


async def test_a_key_is_read_without_enter(terminal):
    controller, fd = terminal
    keyboard = Keyboard(fd)
    with keyboard.direct(), trio.fail_after(10):
        os.write(controller, b"y")
        assert await keyboard.read() == ["y"]


async def test_a_character_in_two_pieces_is_one_key(terminal):
    controller, fd = terminal
    keyboard = Keyboard(fd)
    with keyboard.direct(), trio.fail_after(10):
        os.write(controller, "é".encode()[:1])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_write_later, controller, "é".encode()[1:])
            assert await keyboard.read() == ["é"]


async def _write_later(fd, data):
    await trio.testing.wait_all_tasks_blocked()  # the first piece has been read
    os.write(fd, data)


async def test_what_was_typed_before_is_dropped(terminal):
    controller, fd = terminal
    os.write(controller, b"y\n")
    keyboard = Keyboard(fd)
    with keyboard.direct(), trio.fail_after(10):
        os.write(controller, b"yy")
        await trio.lowlevel.wait_readable(fd)
        keyboard.discard()
        os.write(controller, b"n")
        assert await keyboard.read() == ["n"]


def test_the_terminal_is_restored_after_an_interrupt(terminal):
    _, fd = terminal
    before = termios.tcgetattr(fd)
    changed = []

    def interrupted():
        with Keyboard(fd).direct():
            changed.append(termios.tcgetattr(fd) != before)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert changed == [True]
    assert termios.tcgetattr(fd) == before


async def test_a_terminal_that_has_gone_gives_no_keys():
    controller, fd = pty.openpty()
    os.close(controller)
    with trio.fail_after(10):
        assert await Keyboard(fd).read() == []
    os.close(fd)
