// One open question or decision, and after it the note that says how it has ended.

import { Acts } from "./acts.js";
import { element, shown } from "./element.js";
import { refusalOf, timeLeft } from "./words.js";

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
  #control = null;
  #isBusy = false;
  #isTooLate = false;
  #isUnsure = false;
  #hasAnswered = false;
  #isRevising = false;
  #given = "";

  /** `asked`: an `AskedQuestion` or its like: what it shows, and what is done with it. */
  constructor(viewer, asked) {
    this.asked = asked;
    this.heading = element("h3", { id: this.#id, tabindex: "-1" }, shown(asked.heading));
    this.time = element("span", { class: "time", role: "timer" });
    this.facts = element("dl", { class: "facts" });
    this.place = element("div", { class: "answer" });
    this.fault = element("p", { class: "fault", role: "alert" });
    this.acts = new Acts(`${this.#id}-act`, (act) => this.#act(() => act(this.#viewer)));
    this.node = element("li", {}, this.#article(asked));
    this.update(viewer, asked);
  }

  #article(asked) {
    const kind = element("span", { class: "kind" }, asked.kind);
    const top = element("header", {}, this.heading, element("p", { class: "tags" }, kind, this.time));
    const message = element("p", { class: "message", id: `${this.#id}-message` }, shown(asked.message));
    const help = asked.help ? [element("p", { class: "help", id: `${this.#id}-help` }, shown(asked.help))] : [];
    const names = { "aria-labelledby": `${this.#id} ${this.#id}-message`, class: `card ${asked.style}` };
    const parts = [top, message, ...this.#details(asked.details), ...help, this.place, this.fault, this.facts];
    return element("article", names, ...parts, this.acts.node);
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
    return this.ending === null && this.asked.mayAnswer && !this.asked.isAnsweredByMe;
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

  /** It has changed: who has answered, who is waited for. What was typed stays. */
  update(viewer, asked) {
    [this.#viewer, this.asked] = [viewer, asked];
    const fact = ([name, text]) => [element("dt", {}, name), element("dd", {}, shown(text))];
    this.facts.replaceChildren(...asked.facts.flatMap(fact));
    this.acts.update(asked.acts);
    if (this.waitsForMe && this.#control === null) this.#put(this.#makeControl());
    else if (!this.waitsForMe && !this.#isRevising) this.#settle();
    this.turn();
    this.tick();
  }

  #makeControl() {
    const [Control, wanted] = this.asked.control;
    if (Control === undefined) return null;
    const help = this.asked.help ? `${this.#id}-help` : null;
    const names = { "aria-labelledby": `${this.#id} ${this.#id}-message`, "aria-describedby": help };
    return new Control(wanted, names, (value) => this.#send(value), (text, at) => this.#refuse(text, at), this.#id);
  }

  #put(control) {
    this.#control = control;
    const unknown = "This page is too old for this kind of question; load it again, or answer elsewhere.";
    this.place.replaceChildren(control?.node ?? element("p", { class: "help" }, unknown));
  }

  /** There is nothing to answer here: say why. */
  #settle() {
    const { isAnsweredByMe } = this.asked;
    const words = isAnsweredByMe
      ? `You have answered${this.answer === null ? "" : `: ${this.answer}`}.`
      : "You can see this; others answer it.";
    if (this.place.textContent === words) return;
    this.#refuse(""); // whatever it was, it does not matter any more
    const hadFocus = this.place.contains(document.activeElement);
    this.#given = this.draft || this.#given;
    this.#control?.clear?.();
    this.#control = null;
    this.place.replaceChildren(element("p", { class: isAnsweredByMe ? "said" : "help" }, shown(words)));
    if (isAnsweredByMe && this.asked.mayRevise) this.place.append(this.#revising());
    if (hadFocus) this.heading.focus();
  }

  /** What lets its person answer again; what they had answered from here is filled in. */
  #revising() {
    const click = () => {
      this.#isRevising = true;
      this.#put(this.#makeControl());
      this.draft = this.#given;
      for (const arming of this.armings) arming.moved(); // it is in its place now
      this.turn();
      this.#control?.node.querySelector("input, button")?.focus();
    };
    return element("button", { type: "button", class: "plain revise", click }, "Change my ballot");
  }

  /** Let it be answered, or not: that depends on the connection, and on whether an answer is under way. */
  turn() {
    const isOn = this.#viewer.isCurrent && !this.#isBusy && this.ending === null;
    this.#control?.turn(isOn);
    this.acts.turn(isOn);
    this.node.classList.toggle("stale", !this.#viewer.isCurrent);
  }

  /** Its buttons, which take nothing for a moment. */
  get armings() {
    const control = this.#control?.arming;
    return [...(control ? [control] : []), ...this.acts.armings];
  }

  /** The time goes on. */
  tick() {
    const left = this.ending === null ? this.#viewer.remaining(this.asked) : null;
    const words = left === null ? "" : timeLeft(left);
    if (this.time.textContent !== words) this.time.textContent = words;
    this.time.classList.toggle("soon", left !== null && left < 30);
  }

  #send(value) {
    return this.#act(async () => {
      this.answer = await this.asked.answer(this.#viewer, value);
      [this.#hasAnswered, this.#isRevising] = [true, false];
      if (this.ending === null) this.#settle();
      else this.end(this.ending);
    });
  }

  /** Do something about it, and say what has come of it. */
  async #act(act) {
    [this.#isBusy, this.#isUnsure] = [true, false];
    this.#refuse("");
    this.turn();
    try {
      await act();
    } catch (error) {
      this.#isUnsure = error.code === "link_lost";
      if (["no_longer_active", "not_open"].includes(error.code)) this.#tooLate(error.data);
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
    if (this.ending !== null) this.end(this.ending);
    else if (this.#isTooLate) this.#refuse("Too late: your answer was not counted.");
  }

  // --- when it has ended ---

  /** Whether its person has answered it from here. */
  get hasAnswered() {
    return this.#hasAnswered;
  }

  /** How it has ended, in words. */
  get ended() {
    return `${this.asked.endOf(this.ending)}.${this.#whatOfMine(this.ending.how)}`;
  }

  #whatOfMine(how) {
    if (this.#isTooLate) return " Your answer came too late and was not counted.";
    if (this.#isUnsure && how !== "answered") return " It is not known whether your answer had arrived.";
    return this.answer !== null && how === "answered" ? ` You said: ${this.answer}.` : "";
  }

  /** Turn into a note that says how it has ended. May be told again, when more is known. */
  end(ending) {
    const isFirst = this.ending === null;
    this.ending = { ...ending, isMine: this.hasAnswered };
    if (isFirst) this.#becomeNote();
    this.note.replaceChildren(shown(this.ended));
  }

  /** What to say of a text that was being typed; empty if there is none. */
  #whatStays() {
    if (this.#isBusy || !this.#control?.isKept) return "";
    if (this.ending.how !== "answered") return "What you have typed stays until the same is asked again.";
    if (this.draft === "" || this.asked.isEndedByMe(this.ending)) return "";
    return "What you have typed was not sent; you can still copy it.";
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
    for (const part of article.querySelectorAll(".tags, .details, .help, .fault, .facts, .acts")) part.remove();
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
