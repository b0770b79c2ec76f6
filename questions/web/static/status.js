// How the connection is, in a word and a mark.

import { shown } from "./element.js";
import { nameOf } from "./words.js";

const WORDS = {
  connecting: () => "Connecting …",
  connected: (link) => `Connected as ${nameOf(link.principal)}`,
  lost: (link) => `Connection lost${link.error ? `: ${link.error.message}` : ""}; trying again …`,
  refused: () => "Not connected",
  closed: () => "Not connected",
};

export class Status {
  #element;

  /** `element`: one with role status. */
  constructor(element) {
    this.#element = element;
  }

  show(link) {
    this.#element.dataset.state = link.state;
    this.#element.querySelector("span").replaceChildren(shown(WORDS[link.state](link)));
  }
}
