// One open question, and after it the note that says how it has ended.

import { ConfirmControl } from "./confirm_control.js";
import { element, shown } from "./element.js";
import { SelectControl } from "./select_control.js";
import { TextControl } from "./text_control.js";
import { defaultOf, endOf, kindOf, labelOf, nameOf, namesOf, policyOf, refusalOf, scopeOf, timeLeft } from "./words.js";
import { isSame } from "./words.js";

const CONTROLS = { text: TextControl, select: SelectControl, confirm: ConfirmControl };
const SCROLLS = 1200; // bytes of details from which on they are likely to scroll

/** Numbers for ids of elements: those of questions are other people's text. */
let cards = 0;

export class Card {
  /** What its person has answered, as it was called; null: nothing, or a text. */
  answer = null;
  /** How it has ended; null while it is open. */
  ending = null;
  /** Whether it has ended, and what was typed into it is still there. */
  keepsDraft = false;
  #id = `card-${++cards}`;
  #viewer;
  #me;
  #control = null;
  #isBusy = false;
  #isTooLate = false;
  #isUnsure = false;

  /** `me`: whom this page is for. */
  constructor(viewer, open, me) {
    [this.#me, this.open] = [me, open];
    this.heading = element("h3", { id: this.#id, tabindex: "-1" }, shown(this.#asks(open)));
    this.time = element("span", { class: "time", role: "timer" });
    this.facts = element("dl", { class: "facts" });
    this.place = element("div", { class: "answer" });
    this.fault = element("p", { class: "fault", role: "alert" });
    this.node = element("li", {}, this.#article(open.question));
    this.update(viewer, open);
  }

  #asks({ asker, on_behalf_of: program }) {
    const who = nameOf(asker, this.#me);
    return program ? `${who} asks for ${nameOf(program, this.#me)}` : `${who} asks`;
  }

  #article(question) {
    const kind = element("span", { class: "kind" }, kindOf(question));
    const top = element("header", {}, this.heading, element("p", { class: "tags" }, kind, this.time));
    const message = element("p", { class: "message", id: `${this.#id}-message` }, shown(question.message));
    const help = question.help ? [element("p", { class: "help", id: `${this.#id}-help` }, shown(question.help))] : [];
    const names = { "aria-labelledby": `${this.#id} ${this.#id}-message`, class: `card ${question.kind}` };
    const parts = [top, message, ...this.#details(question.details), ...help, this.place, this.fault, this.facts];
    return element("article", names, ...parts);
  }

  /** All of it, in a box that scrolls if it is long; how much there is, is said. */
  #details(details) {
    if (!details) return [];
    const size = new TextEncoder().encode(details).length;
    const [lines, scrolls] = [details.split("\n").length, size > SCROLLS];
    const [long, large] = [lines, size].map((number) => number.toLocaleString("en"));
    const amount = `Details: ${long} ${lines === 1 ? "line" : "lines"}, ${large} bytes`;
    const caption = element("figcaption", {}, amount + (scrolls ? "; scroll to see all" : ""));
    const region = { tabindex: "0", role: "region", "aria-label": `${amount}, of: ${this.heading.textContent}` };
    return [element("figure", { class: "details" }, caption, element("pre", region, shown(details)))];
  }

  // --- while it is open ---

  /** Whether its person is waited for. */
  get waitsForMe() {
    return this.ending === null && this.open.may_answer && !this.open.answered_by_me;
  }

  /** What has been typed or chosen. */
  get draft() {
    return this.#control?.draft ?? "";
  }

  set draft(draft) {
    if (this.#control && draft) this.#control.draft = draft;
  }

  /** Where the cursor goes when this question has come back. */
  focus() {
    (this.#control?.isFocusable ? this.#control : this.heading).focus();
  }

  /** The question has changed: who has answered, who is waited for. What was typed stays. */
  update(viewer, open) {
    [this.#viewer, this.open] = [viewer, open];
    this.facts.replaceChildren(...this.#facts(open));
    if (this.waitsForMe && this.#control === null) this.#put(this.#makeControl(open.question));
    else if (!this.waitsForMe) this.#settle();
    this.turn();
    this.tick();
  }

  #facts({ scope, answered, waiting_for: waiting }) {
    const fact = (name, text) => [element("dt", {}, name), element("dd", {}, shown(text))];
    return [
      ...fact("Where", scopeOf(scope)),
      ...fact("Policy", [policyOf(this.open), defaultOf(this.open)].filter(Boolean).join(" ")),
      ...fact("Answered", answered.length ? namesOf(answered, this.#me) : "nobody yet"),
      ...fact("Waiting for", waiting.length ? namesOf(waiting, this.#me) : "nobody"),
    ];
  }

  #makeControl(question) {
    const Control = CONTROLS[question.kind];
    if (Control === undefined) return null;
    const help = question.help ? `${this.#id}-help` : null;
    const names = { "aria-labelledby": `${this.#id} ${this.#id}-message`, "aria-describedby": help };
    return new Control(question, names, (value) => this.#send(value), (text, at) => this.#refuse(text, at), this.#id);
  }

  #put(control) {
    this.#control = control;
    const unknown = "This page is too old for this kind of question; load it again, or answer elsewhere.";
    this.place.replaceChildren(control?.node ?? element("p", { class: "help" }, unknown));
  }

  /** There is nothing to answer here: say why. */
  #settle() {
    const words = this.open.answered_by_me
      ? `You have answered${this.answer === null ? "" : `: ${this.answer}`}.`
      : "You can see this question; others answer it.";
    if (this.place.textContent === words) return;
    this.#refuse(""); // whatever it was, it does not matter any more
    const hadFocus = this.place.contains(document.activeElement);
    this.#control?.clear?.();
    this.#control = null;
    this.place.replaceChildren(element("p", { class: this.open.answered_by_me ? "said" : "help" }, shown(words)));
    if (hadFocus) this.heading.focus();
  }

  /** Let it be answered, or not: that depends on the connection, and on whether an answer is under way. */
  turn() {
    this.#control?.turn(this.#viewer.isCurrent && !this.#isBusy && this.ending === null);
    this.node.classList.toggle("stale", !this.#viewer.isCurrent);
  }

  /** Its buttons, which take nothing for a moment; null while there are none. */
  get arming() {
    return this.#control?.arming ?? null;
  }

  /** The time goes on. */
  tick() {
    const left = this.ending === null ? this.#viewer.remaining(this.open) : null;
    const words = left === null ? "" : timeLeft(left);
    if (this.time.textContent !== words) this.time.textContent = words;
    this.time.classList.toggle("soon", left !== null && left < 30);
  }

  async #send(value) {
    const answer = labelOf(this.open.question, value);
    [this.#isBusy, this.#isUnsure] = [true, false];
    this.#refuse("");
    this.turn();
    try {
      await this.#viewer.answer(this.open.id, value);
      this.answer = answer;
      if (this.ending === null) this.#settle();
    } catch (error) {
      this.#isUnsure = error.code === "link_lost";
      if (error.code === "no_longer_active") this.#tooLate(error.data);
      else this.#refuse(refusalOf(error));
    } finally {
      this.#isBusy = false;
      this.turn();
    }
  }

  #refuse(words, at = null) {
    this.fault.replaceChildren(shown(words));
    at?.focus();
  }

  #tooLate(data) {
    this.#isTooLate = !data.answered_by_me;
    if (this.ending !== null) this.end(this.ending.how, this.ending.by);
    else if (this.#isTooLate) this.#refuse("Too late: your answer was not counted.");
  }

  // --- when it has ended ---

  /** How it has ended, in words. */
  get ended() {
    const { how, by } = this.ending;
    return `${endOf(how, by, this.#me)}.${this.#whatOfMine(how)}`;
  }

  #whatOfMine(how) {
    if (this.#isTooLate) return " Your answer came too late and was not counted.";
    if (this.#isUnsure && how !== "answered") return " It is not known whether your answer had arrived.";
    return this.answer !== null && how === "answered" ? ` You said: ${this.answer}.` : "";
  }

  /** Turn into a note that says how it has ended. May be told again, when more is known. */
  end(how, by) {
    const isFirst = this.ending === null;
    this.ending = { how, by };
    if (isFirst) this.#becomeNote();
    this.note.replaceChildren(shown(this.ended));
  }

  /** What to say of a text that was being typed; empty if there is none. */
  #whatStays() {
    if (this.#isBusy || !this.#control?.isKept) return "";
    if (this.ending.how !== "answered") return "What you have typed stays until the same is asked again.";
    const isMine = this.ending.by.some((who) => isSame(who, this.#me));
    return isMine || this.draft === "" ? "" : "What you have typed was not sent; you can still copy it.";
  }

  /** In place: a field that somebody types into stays, as moving it would take the cursor out of it. */
  #becomeNote() {
    const hadFocus = this.node.contains(document.activeElement);
    const stays = this.#whatStays();
    this.keepsDraft = stays !== "" && this.ending.how !== "answered";
    const [article] = this.node.children;
    this.note = element("p", { class: "ending" });
    article.className = "card note";
    article.querySelector(".message").className = "asked";
    for (const part of article.querySelectorAll(".tags, .details, .help, .fault, .facts")) part.remove();
    article.children[0].after(this.note);
    this.node.classList.remove("stale");
    if (stays) {
      this.#control.retire();
      return void this.place.append(element("p", { class: "help" }, stays));
    }
    this.place.remove();
    this.#control?.clear?.();
    this.#control = null;
    if (hadFocus) this.heading.focus();
  }
}
