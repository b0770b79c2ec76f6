// How the questions of this visit have ended. In the memory of the page alone.

import { element, shown } from "./element.js";
import { shortened } from "./words.js";

const MOST = 200;

export class History {
  #section;
  #list;
  #count;
  #entries = [];
  #all = 0;

  constructor(section) {
    this.#section = section;
    this.#list = section.querySelector("ol");
    this.#count = section.querySelector(".count");
  }

  /** A card has ended. What is known of it later is read from it by `refresh`. */
  add(card) {
    const ending = element("p", { class: "ending" });
    const at = element("time", {}, new Date().toLocaleTimeString());
    const asked = element("p", {}, shown(shortened(card.asked.message, 300)));
    this.#all += 1;
    this.#entries = [...this.#entries, { card, ending }].slice(-MOST);
    this.#list.prepend(element("li", {}, at, asked, ending));
    if (this.#list.children.length > MOST) this.#list.lastElementChild.remove();
    this.refresh();
  }

  refresh() {
    for (const { card, ending } of this.#entries) {
      if (ending.textContent !== card.ended) ending.replaceChildren(shown(card.ended));
    }
    this.#count.textContent = this.#all > MOST ? `${this.#all}; the last ${MOST} are listed` : String(this.#all);
    this.#section.hidden = this.#all === 0;
  }
}
