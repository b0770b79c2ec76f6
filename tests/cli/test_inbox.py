"""`questions inbox`: a list, the question in front, and an answer in place; no key answers what was not in view."""

import pytest
from textual import events

from facets import LinkLost, Principal, Who
from questions import Confirm, NoLongerActive, Option, Select, Text
from tests.cli.inboxes import ANA, BO, MAIN, ended, opened, play

GO = Confirm("Go?", allow="Run", deny="Wait")
WHERE = Select("Where?", [Option("eu", "Europe"), Option("us", "America")])
WHY = Text("Why?")
CODE = Text("Code?", secret=True)


def scene(function):
    """A test that is played on asyncio."""

    def test():
        play(function)

    test.__name__, test.__doc__ = function.__name__, function.__doc__
    return test


@scene
async def test_the_oldest_that_is_mine_is_in_front_and_the_list_says_whose_each_is(played):
    others = opened(1, WHY, may_answer=False, waiting_for=[BO])
    await played.show(others, opened(2, GO), opened(3, WHERE))
    assert played.front == "q_2"
    assert played.rows == ["Why?", ">* Go?", "* Where?"]
    assert "3 open, 2 for you" in played.words("state")


@scene
async def test_everything_about_the_question_in_front_is_shown(played):
    question = Confirm("Go?", details="rm -rf\x1b[2K\nbuild")
    await played.show(
        opened(1, question, policy={"kind": "quorum", "count": 2}, deadline=90.0, answered=[BO], waiting_for=[ANA])
    )
    shown = played.words("question")
    for words in ("  | rm -rf\\x1b[2K\n  | build\n", "Needed      2 answers", "Answered    Bo", "Waiting for Ana"):
        assert words in shown
    assert "Time left   1:30" in shown or "Time left   1:29" in shown
    assert "[y] Allow   [n] Deny" in played.words("how")


@pytest.mark.parametrize(("key", "value"), [("y", True), ("n", False)])
def test_one_key_answers_a_confirm(key, value):
    async def one_key(played):
        await played.show(opened(1, GO), opened(2, WHY))
        await played.press(key)
        assert played.sent == [("q_1", value)]
        assert (played.front, "Your answer counts: Go?" in played.words("note")) == ("q_2", True)

    play(one_key)


@scene
async def test_a_key_that_was_pressed_before_a_question_was_shown_never_answers_it(played):
    before = events.Key("y", "y")
    await played.show(opened(1, GO))
    await played.armed()
    played.inbox.post_message(before)  # it has waited in a buffer all the while
    await played.pilot.pause()
    assert played.sent == []


@scene
async def test_a_key_that_comes_at_once_answers_nothing_and_the_next_one_does(played):
    await played.show(opened(1, GO))
    await played.pilot.press("y", "y")
    assert played.sent == []
    await played.press("y")
    assert played.sent == [("q_1", True)]


@scene
async def test_a_key_that_is_pressed_twice_answers_no_second_question(played):
    await played.show(opened(1, GO), opened(2, GO))
    await played.press("y", "y", "y")
    assert played.sent == [("q_1", True)]
    assert played.front == "q_2"


@scene
async def test_of_several_an_arrow_or_a_number_points_at_one_and_enter_gives_it(played):
    await played.show(opened(1, WHERE), opened(2, WHERE))
    await played.press("2")
    assert played.sent == []
    await played.press("enter")
    await played.press("enter")  # nothing is pointed at yet
    await played.press("enter")
    await played.press("down", "enter")
    assert played.sent == [("q_1", "us"), ("q_2", "eu")]


@scene
async def test_what_is_pointed_at_has_a_sign_and_not_only_a_colour(played):
    await played.show(opened(1, WHERE))
    await played.press("2")
    await played.pilot.pause()
    assert [str(option.prompt) for option in played.inbox._choices.options] == ["  1 Europe", "> 2 America"]


@scene
async def test_text_is_typed_after_enter_in_any_number_of_lines_and_given_by_a_key_that_is_shown(played):
    await played.show(opened(1, WHY), opened(2, WHY))
    await played.press("y", "n")
    assert played.sent == []
    assert "Ctrl+S or F2" in played.words("how")
    await played.press("enter", *"yes", "space", *"n1", "enter", *"q")
    assert played.sent == []
    assert "Ctrl+S or F2 send" in played.words("keys")
    await played.press("ctrl+s")
    await played.press("enter", *"b", "f2")
    assert played.sent == [("q_1", "yes n1\nq"), ("q_2", "b")]


@scene
async def test_an_empty_answer_is_given_only_if_that_is_meant(played):
    await played.show(opened(1, WHY), opened(2, CODE))
    await played.press("enter", "ctrl+s")
    assert (played.sent, "Nothing is typed." in played.words("note")) == ([], True)
    await played.press("ctrl+s")
    await played.press("enter", "enter")
    assert (played.sent, "Nothing is typed." in played.words("note")) == ([("q_1", "")], True)


@scene
async def test_a_key_that_sends_does_so_only_where_one_types(played):
    await played.show(opened(1, WHY), opened(2, GO))
    await played.press("enter", *"so", "escape", "ctrl+s")
    await played.press("down", "ctrl+s", "f2")
    assert played.sent == []


@scene
async def test_a_secret_is_not_shown(played):
    await played.show(opened(1, CODE))
    await played.press("enter", *"canary")
    assert "canary" not in str(played.inbox._field.render_line(0).text)
    assert "it is not shown" in played.words("how")
    await played.press("enter")
    assert played.sent == [("q_1", "canary")]


@scene
async def test_what_was_begun_is_there_again(played):
    await played.show(opened(1, WHY), opened(2, WHERE))
    await played.press("enter", *"so")
    await played.press("escape", "down")
    assert played.front == "q_2"
    await played.press("2", "escape", "up")
    assert (played.front, played.inbox._field.value) == ("q_1", "so")
    await played.press("down")
    assert played.inbox._choices.highlighted == 1


@scene
async def test_a_question_that_ends_under_ones_hands_says_how_and_stays(played):
    await played.show(opened(1, WHY), opened(2, GO))
    await played.press("enter", *"so")
    await played.show(opened(2, GO), closed=[ended("q_1", by=(Who(Principal.user("bo"), "Bo"),))])
    assert "ENDED: this question was answered by Bo." in played.words("how")
    assert (played.front, played.inbox._field.value) == ("q_1", "so")
    await played.press("enter", "y", "n", "q", "ctrl+s")
    assert (played.sent, played.inbox._field.value) == ([], "so\nynq")
    assert "Esc, then Down" in played.words("how")
    await played.press("escape", "down")
    assert (played.front, played.rows) == ("q_2", [">* Go?"])


@scene
async def test_of_a_secret_that_ends_under_ones_hands_nothing_stays_and_what_is_typed_on_becomes_no_key(played):
    await played.show(opened(1, CODE), opened(2, GO))
    await played.press("enter", *"canary")
    await played.show(opened(2, GO), closed=[ended("q_1", "expired")])
    assert played.inbox._field.value == ""
    await played.press(*"yqn", "enter")
    assert (played.sent, played.front, played.inbox._exit) == ([], "q_1", False)
    await played.press("escape", "down")
    assert (played.front, played.inbox.pile._drafts) == ("q_2", {})


@scene
async def test_a_late_answer_is_told_and_a_lost_connection_keeps_what_was_typed(played):
    await played.show(opened(1, WHY))
    played.refusal = NoLongerActive("q_1", "answered", (Who(Principal.user("bo"), "Bo"),), False)
    await played.press("enter", *"so", "ctrl+s")
    assert "was answered (by Bo); your answer was not counted" in played.words("note")
    played.refusal = LinkLost("ws://127.0.0.1:1")
    await played.press("ctrl+s")
    assert "whether it counts is unknown" in played.words("note")
    played.inbox.tell_trouble(None, "no connection, it is gone")
    await played.press("ctrl+s")
    assert "It cannot be sent now." in played.words("note")
    assert "NOT CURRENT: no connection, it is gone" in played.words("state")
    played.inbox.tell_trouble(None, "")
    played.refusal = None
    await played.press("ctrl+s")
    assert played.sent == [("q_1", "so")]


@scene
async def test_a_worker_that_is_away_stops_the_answers_of_its_session_alone(played):
    elsewhere = opened(2, GO, scope={"session": "other"})
    await played.show(opened(1, GO), elsewhere)
    played.inbox.tell_trouble(MAIN, "session:main: its worker is away")
    await played.press("y")
    assert played.sent == []
    await played.press("down")
    await played.press("y")
    assert played.sent == [("q_2", True)]


@scene
async def test_nobody_allows_what_they_have_not_read_to_the_end(played):
    await played.show(opened(1, Confirm("Go?", details="\n".join(map(str, range(40))))))
    await played.press("y")
    assert (played.sent, "Read to the end first" in played.words("note")) == ([], True)
    await played.press("space", "space", "space", "space", "y")
    assert played.sent == [("q_1", True)]


@scene
async def test_what_does_not_fit_is_told_and_not_sent(played):
    await played.show(opened(1, Text("Why?", min_length=3)))
    await played.press("enter", *"so", "ctrl+s")
    assert played.words("note") == "The answer: at least 3 code points; it has 2"
    assert played.sent == []


@scene
async def test_what_is_pasted_while_nothing_is_typed_answers_nothing(played):
    await played.show(opened(1, GO))
    await played.armed()
    played.inbox.post_message(events.Paste("y\nn\n"))
    await played.pilot.pause()
    assert played.sent == []


async def paste(played, text):
    played.inbox.post_message(events.Paste(text))
    await played.pilot.pause()
    await played.pilot.pause()


@scene
async def test_all_lines_that_are_pasted_are_taken_without_the_last_line_feed_and_what_a_terminal_obeys(played):
    await played.show(opened(1, WHY))
    await played.press("enter", *"a ")
    await paste(played, "one\r\n\ttwo  \r")
    assert (played.inbox._field.value, played.words("note")) == ("a one\n\ttwo  ", "")
    await paste(played, "\x1b[2Jred\x9b")
    assert played.inbox._field.value == "a one\n\ttwo  [2Jred"
    assert "Control characters in what was pasted were left out." in played.words("note")


@scene
async def test_of_a_code_that_is_pasted_with_its_line_feed_exactly_the_code_arrives(played):
    code = "4/0A b-" * 18 + "1234"
    await played.show(opened(1, CODE))
    await played.press("enter")
    await paste(played, code + "\n")
    await played.press("enter")
    assert (len(code), played.sent) == (130, [("q_1", code)])


@scene
async def test_of_several_lines_that_are_pasted_into_a_secret_the_first_is_taken_and_that_is_told(played):
    await played.show(opened(1, CODE))
    await played.press("enter")
    await paste(played, "one\ntwo")
    assert (played.inbox._field.value, "Only the first line" in played.words("note")) == ("one", True)


@scene
async def test_what_is_asked_cannot_dress_up(played):
    await played.show(opened(1, Confirm("[bold]Go?[/]\n  x fake", allow="[red]Yes[/]")))
    assert "[bold]Go?[/]" in played.words("question")
    assert "[y] [red]Yes[/]" in played.words("how")
    assert played.rows == [">* [bold]Go?[/]\\n x fake"]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
@pytest.mark.parametrize("question", [WHERE, WHY, CODE, Confirm("Go?" * 100, details="\n".join("abcdefghijklmnop"))])
def test_all_of_it_fits_a_small_terminal(question, size):
    async def small(played):
        width, height = size
        await played.show(*[opened(number, question, deadline=60.0) for number in range(1, 30)])
        await played.press("enter", *"12", "enter", *"34", "enter", *"56", "enter")
        regions = [widget.region for widget in played.inbox.screen.children if widget.display]
        assert all(region.height >= 1 and region.bottom <= height and region.right <= width for region in regions)
        assert sum(region.height for region in regions) == height

    play(small, size)


@scene
async def test_a_row_is_one_line_however_long_the_message_is(played):
    await played.show(opened(1, Confirm("Go? " * 900)), opened(2, GO))
    assert [str(line.text).rstrip()[-1] for line in map(played.inbox._list.render_line, (0, 1))] == ["…", "?"]


@scene
async def test_what_y_and_n_mean_can_be_read_however_long_it_is(played):
    await played.show(opened(1, Confirm("Go?", allow="Yes, " * 30, deny="No, " * 30)))
    assert "[y] or [n]: see" in played.words("how")
    shown = " ".join(played.words("question").split())
    assert f"[y] {'Yes, ' * 30}".strip() in shown
    assert f"[n] {'No, ' * 30}".strip() in shown


def test_a_fault_of_the_program_ends_it_and_shows_nothing_of_what_was_typed(capfd):
    async def fails(played):
        await played.show(opened(1, CODE))
        played.refusal = ValueError("a fault")
        await played.press("enter", *"canary", "enter")

    with pytest.raises(ValueError, match="a fault"):
        play(fails)
    assert "canary" not in "".join(capfd.readouterr())


@scene
async def test_q_leaves_but_not_while_typing(played):
    await played.show(opened(1, WHY))
    await played.press("enter", "q")
    assert played.inbox._field.value == "q"
    await played.press("escape", "q")
    assert not played.inbox.is_running or played.inbox._exit
