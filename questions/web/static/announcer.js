// What a screen reader is told, whatever it reads just now.

import { element } from "./element.js";

const GATHER = 200; // milliseconds: what happens together is said together

export class Announcer {
  #region;
  #said = [];
  #timer = 0;

  /** `region`: an element with aria-live. */
  constructor(region) {
    this.#region = region;
  }

  /** `words()` gives the sentence when it is said, so that it is the newest. */
  say(words) {
    this.#said.push(words);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#region.replaceChildren(...this.#said.map((words) => element("p", {}, words())));
      this.#said = [];
    }, GATHER);
  }
}
