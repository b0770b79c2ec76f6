// The page on which people answer: who is here, what is viewed, and what is told to whom.

import { Announcer } from "./announcer.js";
import { AskedDecision } from "./asked_decision.js";
import { AskedGate } from "./asked_gate.js";
import { AskedQuestion } from "./asked_question.js";
import { Cards } from "./cards.js";
import { openLink } from "./client.js";
import { History } from "./history.js";
import { Notifier } from "./notifier.js";
import { Places } from "./places.js";
import { Status } from "./status.js";
import { Visit } from "./visit.js";
import { isSame, scopeOf, shortened } from "./words.js";
import { visible } from "./visible.js";

const PEOPLE = ["user", "guest"];
const DECISIONS = "the store of decisions";
const GATES = "the store of workflows";
const by = (id) => document.getElementById(id);

const visit = new Visit();
const status = new Status(by("status"));
const announcer = new Announcer(by("announcer"));
const history = new History(by("history"));
const notifier = new Notifier(by("notify"), by("notify-said"));
const places = new Places(by("places"));
const cards = new Cards(by("cards"), by("questions-heading"));

let link = null;
let me = null;
const viewed = new Set(); // the names of what is viewed

cards.addEventListener("asked", ({ detail: card }) => {
  notifier.asked(card);
  const asked = visible(shortened(card.asked.message, 200));
  announcer.say("asked", () => `New question. ${card.heading.textContent}: ${asked}`);
});
cards.addEventListener("ended", ({ detail: card }) => {
  history.add(card);
  notifier.ended(card);
  const asked = visible(shortened(card.asked.message, 100));
  announcer.say("ended", () => `${visible(card.ended)} The question was: ${asked}`);
});
cards.addEventListener("changed", () => {
  history.refresh();
  notifier.count(cards.waiting);
  by("waiting").textContent = String(cards.waiting);
  by("nothing").hidden = cards.size > 0;
});

/** View the sessions that the address names, what is asked of this person alone, and decisions, if it is not yet so. */
function view(principal) {
  me = principal;
  const named = visit.sessions.map((session) => [{ session }, true]);
  const own = PEOPLE.includes(principal.kind) ? [[{ owner: { kind: principal.kind, id: principal.id } }, false]] : [];
  for (const [scope, isWished] of [...named, ...own]) {
    const name = JSON.stringify(scope);
    if (viewed.has(name)) continue;
    show(name, link.questions(scope), scopeOf(scope), isWished, (open) => new AskedQuestion(open, principal));
  }
  if (principal.kind === "user" && !viewed.has(DECISIONS)) {
    show(DECISIONS, link.decisions(), DECISIONS, false, (open) => new AskedDecision(open, principal));
  }
  if (principal.kind === "user" && !viewed.has(GATES)) {
    show(GATES, link.gates(), GATES, false, (open) => new AskedGate(open));
  }
  by("no-session").hidden = visit.sessions.length > 0;
}

function show(name, viewer, place, isWished, asked) {
  viewed.add(name);
  viewer.addEventListener("refused", () => viewed.delete(name)); // the next token may be good for it
  places.show(viewer, place, isWished);
  cards.show(viewer, asked);
}

/** The server has let somebody in. What one has been shown, and has typed, is not for another. */
function arrived() {
  if (me === null || isSame(me, link.principal)) return view(link.principal);
  link.close();
  location.reload();
}

function connect() {
  by("sign-in").hidden = true;
  by("tools").hidden = by("questions").hidden = false;
  if (link !== null) return link.again();
  link = openLink({ token: () => visit.token });
  link.addEventListener("state", () => {
    status.show(link);
    if (link.state === "connected") arrived();
    if (link.state === "refused") signIn(`The server says: ${link.error.message}`, link.error.code);
  });
  status.show(link);
}

/** Ask for a token. `why` is the server's, if it has refused one. */
function signIn(why = "", code = "") {
  visit.leave();
  const refused = "That token was not taken. It may have expired, been taken back, or not been copied whole.";
  by("refused").textContent = why && (code === "unauthenticated" ? refused : visible(why));
  by("sign-in").hidden = false;
  by("tools").hidden = true;
  by("questions").hidden = cards.size === 0;
  if (!by("cards").contains(document.activeElement)) by("token").focus(); // nobody types the rest of a text into it
}

by("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = by("token").value.trim();
  if (!token) return void (by("refused").textContent = "Without a token there is nothing to see.");
  visit.enter(token, by("session").value.trim());
  by("token").value = by("session").value = by("refused").textContent = "";
  connect();
  by("questions-heading").focus();
});
by("sign-out").addEventListener("click", () => {
  visit.leave();
  location.reload();
});
window.addEventListener("hashchange", () => {
  // Another link was opened in this tab: a fresh one for the same person and place, or one for something else.
  const before = String(visit.sessions);
  visit.read();
  if (link?.state === "refused" && visit.token && String(visit.sessions) === before) connect();
  else location.reload();
});

by("loading").remove();
if (visit.token) connect();
else signIn();
