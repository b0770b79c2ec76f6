// Telling a person who looks elsewhere that a question has come: by a notification and in the title, if they want it.

import { Kept } from "./kept.js";
import { shortened } from "./words.js";
import { visible } from "./visible.js";

const TITLE = "Questions";

export class Notifier {
  #button;
  #said;
  #kept = new Kept("localStorage", "questions.notify");
  #isOn = this.#kept.value === "on";
  #count = 0;

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

  /** A question has come that this person may answer. */
  asked(card) {
    if (!this.#isOn || (document.visibilityState === "visible" && document.hasFocus())) return;
    if (globalThis.Notification?.permission !== "granted") return;
    const [title, body] = [card.heading.textContent, visible(shortened(card.open.question.message, 120))];
    try {
      const told = new Notification(title, { body, tag: card.open.id });
      told.onclick = () => {
        window.focus();
        card.heading.focus();
        told.close();
      };
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
