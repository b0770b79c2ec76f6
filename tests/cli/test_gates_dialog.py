"""The dialog of a gate without a terminal and a store: the library's pilot presses keys."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from textual import events

from questions.cli.arming import ARMING_DELAY
from questions.cli.gates.dialog import GateDialog, How
from questions.durable.errors import StoreUnavailable
from questions.gates import (
    Accepted,
    Choices,
    ChoiceTerms,
    Conflict,
    DeadlinePassed,
    GivenText,
    Paragraph,
    Presentation,
    Refused,
    Response,
    document,
    view_of,
)
from questions.gates.resolution import accepted, cancelled
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, CREATED, EXACT, REPLAN, TEN_MINUTES, request, submission

LONG = Presentation("Review the plan.", [Paragraph(f"Paragraph number {number}.") for number in range(1, 31)])
MANY = Choices({f"c{number}": ChoiceTerms(f"Choice {number}") for number in range(1, 13)})
MIDDLE = CREATED + TEN_MINUTES / 2


class Played:
    """A dialog under test, and what was given in it."""

    def __init__(self, asked, now=MIDDLE):
        self.asked = asked
        self.given = []
        self.answer_with = None
        self.pilot: Any = None
        self.dialog = GateDialog(view_of(asked), lambda: now, self._submit, self._feed)

    async def _submit(self, response):
        self.given.append(response)
        if isinstance(self.answer_with, Exception):
            raise self.answer_with
        return self.answer_with or Accepted(accepted(self.asked, submission(self.asked, response), CREATED))

    async def _feed(self, dialog):
        await asyncio.Event().wait()

    async def armed(self):
        async with asyncio.timeout(20):
            while (left := self.dialog.arming.remaining(time.monotonic())) > 0:  # noqa: ASYNC110  # it is time
                await asyncio.sleep(min(left, ARMING_DELAY))

    async def press(self, *keys):
        await self.armed()
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def words(self, id):
        return str(self.dialog.query_one(f"#{id}").render())

    @property
    def left(self):
        return self.dialog.return_value

    @property
    def how(self):
        return None if self.left is None else self.left.how


def play(scene, asked=None, size=(80, 24), **options):
    """Run `scene(played)` on asyncio, in a thread of its own."""

    async def run():
        played = Played(asked or request(), **options)
        async with asyncio.timeout(60), played.dialog.run_test(size=size) as played.pilot:
            await scene(played)
            played.dialog.exit(played.left)
        if played.dialog.failure is not None:
            raise played.dialog.failure

    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(run())).result()


def test_it_shows_the_document_of_every_channel_and_enter_gives_the_first_choice():
    async def scene(played):  # case 113
        assert played.words("document") == document(view_of(played.asked)).text
        assert f"Fingerprint {played.asked.fingerprint}  5:00 left  for operator" in played.words("head")
        labels = [str(option.prompt) for option in played.dialog._choices.options]
        await played.pilot.pause()
        assert [label.lstrip("> ") for label in labels] == ["1 Continue", "2 Replan, with a text"]
        await played.press("enter")
        assert (played.given, played.how) == ([CONTINUE], How.ANSWERED)

    play(scene, request(timeout=AUTOMATIC))


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (40, 24)])
def test_nothing_is_cut_for_good_and_nothing_is_chosen_unread(size):
    async def scene(played):  # case 112
        about, seen = played.dialog._about, 0
        await played.press("enter")
        assert (played.given, "Read to the end first" in played.words("note")) == ([], True)
        while about.scroll_offset.y < about.max_scroll_y:
            assert about.scroll_offset.y <= seen, "no line is passed over"
            seen = about.scroll_offset.y + about.size.height
            await played.press("space")
        assert played.words("document") == document(view_of(played.asked)).text
        await played.press("enter")
        assert played.given == [CONTINUE]

    play(scene, request(presentation=LONG), size)


def test_keys_that_come_too_early_point_at_nothing_so_that_enter_gives_nothing():
    async def scene(played):
        early = events.Key("enter", "\r")
        await played.pilot.press("y", "enter", "2", "escape")
        await played.armed()
        played.dialog.post_message(early)  # it has waited in a buffer all the while
        await played.pilot.pause()
        assert (played.given, played.left, played.dialog._choices.highlighted) == ([], None, None)
        assert "forgotten" in played.words("note")
        await played.press("enter")
        assert (played.given, played.words("note")) == ([], "Point at a choice first: Up, Down or its number.")
        await played.press("1", "enter")
        assert played.given == [CONTINUE]

    play(scene)


@pytest.mark.parametrize(
    ("keys", "id"),
    [
        (["3"], "c3"),
        (["1", "2"], "c12"),
        (["9", "9"], "c9"),
        (["0"], "c1"),
        (["down", "1", "1"], "c11"),
        (["up"], "c12"),
    ],
)
def test_numbers_and_arrows_point_at_a_choice_and_enter_gives_it(keys, id):
    async def scene(played):
        await played.press(*keys)
        assert played.given == []
        marked = [str(option.prompt) for option in played.dialog._choices.options if str(option.prompt)[0] == ">"]
        assert [line.split()[1] for line in marked] == [id[1:]]
        await played.press("enter")
        assert played.given == [Response(id)]

    play(scene, request(choices=MANY), (80, 50))


@pytest.mark.parametrize(("key", "id"), [("down", "c2"), ("up", "c12"), ("7", "c7")])
def test_keys_that_come_in_one_go_count_in_their_order(key, id):
    async def scene(played):
        await played.armed()
        for one in (key, "enter"):
            played.dialog.post_message(events.Key(one, one if len(one) == 1 else None))
        await played.pilot.pause()
        assert played.given == [Response(id)]

    play(scene, request(choices=MANY), (80, 50))


def test_a_text_arrives_as_it_was_typed_blanks_and_lines_included():
    async def scene(played):  # case 73
        keys = ["enter" if char == "\n" else {" ": "space"}.get(char, char) for char in EXACT]
        await played.press("2", "enter", *keys, "ctrl+s")
        assert (played.given, played.how) == ([REPLAN], How.ANSWERED)

    play(scene)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_long_paste_loses_its_last_line_end_and_nothing_else(line_end):
    async def scene(played):  # R59
        code = "x " * 64 + "yz"
        await played.press("2", "enter")
        played.dialog.post_message(events.Paste(f"{code}{line_end}"))
        await played.pilot.pause()
        assert played.given == []
        await played.press("f2")
        assert played.given == [Response("replan", GivenText("instructions", code))]

    play(scene)


def test_a_text_that_does_not_fit_is_told_and_kept():
    async def scene(played):
        await played.press("2", "enter", "f2")
        assert "Not given: 0 characters, and at least 1 are needed." in played.words("note")
        await played.press("a", "f2")
        assert played.given == [Response("replan", GivenText("instructions", "a"))]

    play(scene)


def test_who_leaves_the_choices_or_the_text_gives_nothing():
    async def choices(played):  # case 115
        await played.press("escape")
        assert (played.given, played.how) == ([], How.NO_CHOICE)

    async def text(played):
        await played.press("2", "enter", "a", "b", "escape")
        assert (played.given, played.how, played.left.typed) == ([], How.NO_TEXT, "ab")

    play(choices)
    play(text)


def test_an_interrupt_leaves_at_once():
    async def scene(played):
        await played.press("ctrl+c")
        assert (played.given, played.how) == ([], How.INTERRUPTED)

    play(scene)


def test_what_was_settled_elsewhere_closes_it_and_keeps_what_was_typed():
    async def scene(played):  # case 111
        await played.press("2", "enter", "a")
        played.dialog.settled(cancelled(played.asked, "cancelled", CREATED), by_this=False)
        assert (played.given, played.how, played.left.typed) == ([], How.ELSEWHERE, "a")

    play(scene)


def test_who_comes_second_is_told_of_the_first():
    async def scene(played):
        winner = accepted(played.asked, submission(played.asked, REPLAN), CREATED)
        played.answer_with = Conflict(winner, same_response=False)
        await played.press("enter")
        assert (played.how, played.left.resolution) == (How.ELSEWHERE, winner)

    play(scene)


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (StoreUnavailable("it is away"), "the store is not available: it is away"),
        (Refused(DeadlinePassed("d", "then")), "Not counted: "),
    ],
)
def test_what_keeps_an_answer_from_counting_is_told_and_it_may_be_given_again(trouble, words):
    async def scene(played):
        played.answer_with = trouble
        await played.press("enter")
        assert (played.left, words in played.words("note")) == (None, True)
        played.answer_with = None
        await played.press("enter")
        assert (played.given, played.how) == ([CONTINUE, CONTINUE], How.ANSWERED)

    play(scene)


def test_a_deadline_that_has_come_is_told_and_nobody_is_said_to_have_chosen():
    async def scene(played):  # case 148
        assert "its deadline has come" in played.words("head")

    play(scene, request(timeout=AUTOMATIC), now=CREATED + TEN_MINUTES)


def test_markup_and_hidden_characters_are_shown_as_they_are():
    async def scene(played):
        assert "[bold]x[/bold] \\u200b" in played.words("document")
        assert "[red]Go[/red]" in str(played.dialog._choices.options[0].prompt)

    choices = Choices({"go": ChoiceTerms("[red]Go[/red]")})
    play(scene, request(choices=choices, presentation=Presentation("[bold]x[/bold] \u200b")))
