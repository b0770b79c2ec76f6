// What there is to say about the places that are viewed: one that cannot be reached, one that is not for this token.

import { element, shown } from "./element.js";

export class Places {
  #element;
  #notices = new Map();

  constructor(element) {
    this.#element = element;
  }

  /** Watch over a viewer of a place. `isWished`: somebody has named it, and has to be told if it is refused. */
  show(viewer, place, isWished) {
    viewer.addEventListener("open", () => this.#say(place, ""));
    viewer.addEventListener("unavailable", ({ detail }) => {
      const why = detail && `No news from ${place}: ${detail}. What is shown may be old; it comes back by itself.`;
      this.#say(place, why); // of a lost link the top of the page tells
    });
    viewer.addEventListener("refused", ({ detail }) => {
      this.#say(place, isWished ? `There is nothing to see in ${place}: ${detail.message}.` : "");
    });
  }

  #say(place, words) {
    if ((this.#notices.get(place)?.textContent ?? "") === words) return;
    this.#notices.get(place)?.remove();
    this.#notices.delete(place);
    if (!words) return;
    const notice = element("p", { class: "notice" }, shown(words));
    this.#notices.set(place, notice);
    this.#element.append(notice);
  }
}
