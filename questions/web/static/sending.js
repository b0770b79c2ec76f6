// The button that sends what was typed or chosen.

import { Arming } from "./arming.js";
import { element } from "./element.js";

export class Sending {
  #act;
  #isOn = true;

  /** `act()` sends. `more`: what stands beside the button. */
  constructor(label, act, ...more) {
    this.#act = act;
    const click = (event) => {
      const isPointed = event.detail > 0; // a key is pressed where the focus is, wherever that has gone
      if (isPointed && !this.arming.counts()) event.preventDefault();
    };
    this.button = element("button", { type: "submit", class: "primary", click }, label);
    this.arming = new Arming([this.button]);
    this.node = element("div", { class: "buttons" }, this.button, ...more);
  }

  /** The listener for the form: it stays on this page. */
  submitted = (event) => {
    event.preventDefault();
    if (this.#isOn) this.#act();
  };

  turn(isOn) {
    this.#isOn = isOn;
    this.arming.turn(isOn);
  }
}
