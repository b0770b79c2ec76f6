// Telling a person who looks elsewhere that a question has come: by a notification and in the title, if they want it.

import { Kept } from "./kept.js";
import { shortened } from "./words.js";
import { visible } from "./visible.js";

const TITLE = "Questions";
const GATHER = 200; // milliseconds: of what comes together a person is told together
const MOST = 3;

export class Notifier {
  #button;
  #said;
  #kept = new Kept("localStorage", "questions.notify");
  #isOn = this.#kept.value === "on";
  #count = 0;
  #coming = [];
  #told = new Map();

  /** `button`: what turns it on and off; `said`: where it says what the browser does not allow. */
  constructor(button, said) {
    [this.#button, this.#said] = [button, said];
    button.addEventListener("click", () => this.#turn(!this.#isOn));
    this.#show();
  }

  /** So many questions wait for this person. */
  count(waiting) {
    this.#count = waiting;
    this.#show();
  }

  /** A question has come. */
  asked(card) {
    if (this.#coming.push(card) === 1) setTimeout(() => this.#tell(), GATHER);
  }

  /** A question has ended: there is nothing to be told of any more. */
  ended(card) {
    this.#told.get(card)?.close();
    this.#told.delete(card);
  }

  #tell() {
    const cards = this.#coming.filter((card) => card.waitsForMe);
    this.#coming = [];
    if (!this.#isOn || (document.visibilityState === "visible" && document.hasFocus())) return;
    if (globalThis.Notification?.permission !== "granted" || !cards.length) return;
    if (cards.length > MOST) return this.#notify(`${cards.length} new questions`, "", "many", cards.at(0));
    for (const card of cards) {
      const { heading, asked } = card;
      this.#notify(heading.textContent, visible(shortened(asked.message, 120)), asked.id, card);
    }
  }

  #notify(title, body, tag, card) {
    try {
      const told = new Notification(title, { body, tag });
      told.onclick = () => {
        window.focus();
        card.heading.focus();
        told.close();
      };
      this.#told.set(card, told);
    } catch {
      this.#say("This browser shows no notifications of pages; the title of the tab counts all the same.");
    }
  }

  async #turn(isOn) {
    this.#isOn = isOn;
    this.#kept.value = isOn ? "on" : null;
    this.#show();
    this.#say("");
    if (!isOn) return;
    const permission = (await globalThis.Notification?.requestPermission()) ?? "denied";
    if (permission === "granted") return;
    this.#say("Your browser allows no notifications here; the title of the tab counts all the same.");
  }

  #say(words) {
    this.#said.textContent = words;
  }

  #show() {
    this.#button.setAttribute("aria-pressed", String(this.#isOn));
    document.title = this.#isOn && this.#count ? `(${this.#count}) ${TITLE}` : TITLE;
    const icon = this.#isOn && this.#count ? "icon-waiting.svg" : "icon.svg";
    document.querySelector("link[rel=icon]").href = icon;
  }
}
