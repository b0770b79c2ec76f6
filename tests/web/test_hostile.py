"""Text of other people's is text: no markup runs, nothing hides, nothing is cut without a word."""

import pytest
from playwright.sync_api import expect

from facets import Principal
from questions import Confirm, Option, Select, SessionScope, Text
from tests.web.browsing import button, card
from tests.web.serving import ANA

EVE = Principal.guest("eve")
MARKUP = "</p><script>document.title='x'</script><img src=x onerror=\"document.title='x'\"><b>bold</b>"
REORDERED = "rm \u202egpj.exe\u202c \u200b\u2066x\u2069 \x1b[2K\r\x00 \ufeff"
ESCAPED = r"rm \u202egpj.exe\u202c \u200b\u2066x\u2069 \x1b[2K\x0d\x00 \ufeff"


@pytest.mark.parametrize(
    "question",
    [
        Text(MARKUP, help=MARKUP, details=MARKUP),
        Select(MARKUP, [Option("a", MARKUP)], help=MARKUP, details=MARKUP),
        Confirm(MARKUP, allow=MARKUP, deny=MARKUP, details=MARKUP),
    ],
    ids=lambda question: question.kind,
)
def test_markup_is_shown_as_it_was_written(served, ana, question):
    asked = served.ask(question, ANA, scope=SessionScope("s1"))
    shown = card(ana, "bold")
    expect(shown.locator(".message")).to_have_text(MARKUP)
    expect(shown.locator("pre")).to_have_text(MARKUP)
    assert shown.locator("b, img, script").count() == 0
    asked.withdraw()
    expect(shown).to_contain_text(MARKUP)
    assert ana.title() == "Questions"


def test_names_scopes_and_options_with_markup_are_text_too(served, visit):
    served.portal.call(served.introduce, EVE, f"Eve {MARKUP}")
    page = visit("ana", session=MARKUP)
    served.ask(Select("Where?", [Option("a", MARKUP)]), ANA, EVE, scope=SessionScope(MARKUP))
    expect(card(page, "Where?")).to_contain_text(f"session {MARKUP}")
    expect(card(page, "Where?")).to_contain_text(f"Eve {MARKUP} (guest eve)")
    expect(page.get_by_label(MARKUP)).to_be_visible()
    assert page.locator("b, img").count() == 0


def test_what_is_invisible_or_reorders_is_escaped_and_marked(served, ana):
    served.ask(Confirm("Look", details=REORDERED + r" \u202e"), ANA)
    expect(card(ana, "Look").locator("pre")).to_have_text(ESCAPED + r" \u202e")
    marked = card(ana, "Look").locator("pre .escaped").all_inner_texts()
    assert marked == [r"\u202e", r"\u202c", r"\u200b\u2066", r"\u2069", r"\x1b", r"\x0d\x00", r"\ufeff"]


def test_joiners_in_a_message_are_shown_as_what_they_are(served, ana):
    served.ask(Confirm("👩\u200d💻 or a\u200bb?"), ANA)
    expect(ana.locator(".message")).to_have_text(r"👩\u200d💻 or a\u200bb?")


def test_a_long_message_with_60_kib_of_details_is_all_there(served, ana):
    message, details = ("very " * 800)[:3_999] + "!", ("0123456789abcde\n" * 3_840)
    served.ask(Confirm(message, details=details), ANA)
    shown = ana.locator(".card")
    assert shown.locator(".message").text_content() == message
    assert shown.locator("pre").text_content() == details
    expect(shown).to_contain_text("Details: 3,841 lines, 61,440 bytes; scroll to see all")
    box = shown.locator("pre")
    assert box.evaluate("(box) => box.scrollHeight > box.clientHeight && box.clientHeight > 200")
    box.focus()
    ana.keyboard.press("End")
    expect(box).to_be_focused()
    assert button(shown, "Allow").is_enabled()


def test_60_kib_of_nothing_but_invisible_characters_are_shown_too(served, ana):
    served.ask(Confirm("Look", details="\u202e" * 20_000), ANA)
    assert ana.locator("pre").text_content() == r"\u202e" * 20_000


@pytest.mark.parametrize("width", [320, 1280])
def test_a_word_without_end_makes_no_page_wider(served, visit, width):
    page = visit("ana", viewport={"width": width, "height": 800})
    word = "w" * 3_000
    served.ask(Confirm(word, details=word, allow=word[:200]), ANA)
    card(page, word).wait_for()
    served.ask(Select("Which?", [Option("a", word[:200])], help=word[:2_000]), ANA)
    card(page, "Which?").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_letters_twice_as_large_make_no_page_wider(served, visit):
    page = visit("ana", viewport={"width": 320, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    served.ask(Select("Which?", [Option("a", "The first")]), ANA)
    card(page, "Which?").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_marks_piled_up_on_a_letter_cover_nothing_of_another_card(served, ana):
    served.ask(Confirm("Delete it?"), ANA)
    button(card(ana, "Delete it?"), "Allow")
    facts = card(ana, "Delete it?").locator(".facts")
    before = facts.screenshot()
    piled = "A" + "\u0301" * 190
    served.ask(Confirm(f"Look {piled}", allow=piled), ANA)
    button(card(ana, "Look"), "Deny")
    assert facts.screenshot() == before


def test_a_page_of_which_a_part_is_missing_says_so(served, visit):
    page = visit.blank("ana", locale="en-ZA")  # a profile of its own: nothing of it is kept
    page.route("**/words.js", lambda route: route.abort())
    page.goto(served.url)
    expect(page.get_by_text("This page has not been loaded whole.")).to_be_visible()
    page.unroute("**/words.js")
    visit.forgive()
    page.reload()
    expect(page.get_by_label("Your token")).to_be_visible()
    expect(page.get_by_text("This page has not been loaded whole.")).to_have_count(0)


def test_the_policy_lets_nothing_in_from_elsewhere(visit, served):
    page = visit.blank("ana")
    page.goto(served.url)
    blocked = page.evaluate("""async () => {
      const reports = [];
      addEventListener("securitypolicyviolation", (event) => {
        reports.push(event.effectiveDirective);
        event.stopImmediatePropagation();
      }, { capture: true });
      const tried = [];
      for (const act of [
        () => fetch("http://127.0.0.1:1/"),
        () => { document.body.innerHTML = "<b>x</b>"; },
        () => import("data:text/javascript,"),
      ]) {
        try { await act(); tried.push("done"); } catch { tried.push("refused"); }
      }
      return [tried, reports.sort()];
    }""")
    assert blocked[0] == ["refused"] * 3
    assert "connect-src" in blocked[1]
    visit.forgive()  # the browser's own words about it
