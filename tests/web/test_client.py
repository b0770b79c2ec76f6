"""`client.js` and the machine in it, used by themselves: when it speaks, when it waits, when it gives up."""

import pytest
from playwright.sync_api import expect

from questions import All, Confirm
from tests.rules import rule
from tests.web.serving import ANA, wait_until


@pytest.fixture
def page(visit, served):
    page = visit.blank("ana")
    page.goto(served.url)
    return page


@rule("Q-POL-5")
def test_acknowledgements_go_at_once_and_then_twice_a_second_at_most(page):
    said = page.evaluate("""async () => {
      const { Session } = await import("/session.js");
      const session = new Session();
      const open = session.follow(session.get("questions", { session: "s1" }), "open", {}, true);
      const principal = { kind: "user", id: "ana", name: "Ana" };
      session.dialled("t");
      session.receive(JSON.stringify({ type: "welcome", epoch: "e", principal, now: 0 }), 0);
      const said = [];
      const tell = (revision, now) => {
        const snapshot = { type: "snapshot", id: 2, epoch: "e", revision, value: { a: revision }, now };
        session.receive(JSON.stringify(snapshot), now);
        session.shown(open, now);
        note(now);
      };
      const note = (now) => said.push([now, ...session.takeOut().map((frame) => JSON.parse(frame).revision)]);
      session.takeOut();
      for (const now of [1, 1.1, 1.2]) tell(now * 10, now);
      said.push(["due", session.due()]);
      session.tick(1.5);
      note(1.5);
      tell(16, 1.6);
      session.tick(2.5);
      note(2.5);
      return said;
    }""")
    assert said == [[1, 10], [1.1], [1.2], ["due", 1.5], [1.5, 12], [1.6], [2.5, 16]]


def test_pauses_double_up_to_five_seconds_and_differ_from_page_to_page(page):
    pauses = page.evaluate("""async () => {
      const { Backoff } = await import("/backoff.js");
      const [least, most] = [new Backoff(() => 0), new Backoff(() => 1)];
      const all = Array.from({ length: 8 }, () => [least.pause(), most.pause()]);
      most.reset();
      return [...all, [0, most.pause()]];
    }""")
    assert [most for _, most in pauses] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 0.1]
    assert [least for least, _ in pauses[:-1]] == [most / 2 for _, most in pauses[:-1]]


def test_a_function_gives_a_fresh_token_at_each_connection(served, page):
    page.evaluate("""async () => {
      const { openLink } = await import("/client.js");
      let tries = 0;
      globalThis.person = "ana";
      const token = async () => {
        tries += 1;
        if (tries === 2) throw new Error("there is none just now");
        return `user:${globalThis.person}`;
      };
      const link = (globalThis.link = openLink({ token }));
      link.addEventListener("state", () => {
        document.title = `${link.state} ${link.principal?.id}`;
      });
    }""")
    expect(page).to_have_title("connected ana")
    served.stop()
    expect(page).to_have_title("lost ana")
    page.evaluate("globalThis.person = 'bo'")
    served.start()
    expect(page).to_have_title("connected bo")


def test_what_is_asked_without_a_connection_fails_at_once(page):
    told = page.evaluate("""async () => {
      const { openLink, LinkLost } = await import("/client.js");
      const link = openLink({ token: "user:ana" });
      const viewer = link.questions({ session: "s1" });
      const before = await viewer.answer("q", true).catch((error) => [error instanceof LinkLost, error.code]);
      await new Promise((resolve) => link.addEventListener("state", resolve));
      link.close();
      return [before, link.state, viewer.isCurrent, [...viewer.open]];
    }""")
    assert told == [[True, "link_lost"], "closed", False, []]


def test_who_releases_a_view_is_present_no_more(served, page):
    asked = served.ask(Confirm("Run it?"), policy=All())
    page.evaluate("""async () => {
      const { openLink } = await import("/client.js");
      globalThis.viewer = openLink({ token: "user:ana" }).questions({ session: "s1" });
      viewer.addEventListener("open", () => { document.title = String(viewer.open.size); });
    }""")
    expect(page).to_have_title("1")
    wait_until(lambda: served.seen("Run it?") == [str(ANA)])
    page.evaluate("viewer.release()")
    wait_until(lambda: served.described("Run it?")["audience"] == [])
    asked.withdraw()


def test_who_was_refused_is_tried_again_with_another_token_if_that_is_wanted(served, page):
    served.tokens.revoked.add("user:ana")
    told = page.evaluate("""async () => {
      const { openLink } = await import("/client.js");
      let token = "user:ana";
      const link = openLink({ token: () => token });
      const until = (state) => new Promise((resolve) => {
        const look = () => link.state === state && resolve(`${link.state} ${link.error?.code} ${link.principal?.id}`);
        link.addEventListener("state", look);
      });
      const refused = await until("refused");
      token = "user:bo";
      link.again();
      return [refused, await until("connected")];
    }""")
    assert told == ["refused unauthenticated ana", "connected undefined bo"]
