// The button that sends what was typed or chosen.

import { element } from "./element.js";

export class Sending {
  #act;
  #isOn = true;

  /** `act()` sends. `more`: what stands beside the button. */
  constructor(label, act, ...more) {
    this.#act = act;
    this.button = element("button", { type: "submit", class: "primary" }, label);
    this.node = element("div", { class: "buttons" }, this.button, ...more);
  }

  /** The listener for the form: it stays on this page. */
  submitted = (event) => {
    event.preventDefault();
    if (this.#isOn) this.#act();
  };

  turn(isOn) {
    this.#isOn = isOn;
    this.button.setAttribute("aria-disabled", String(!isOn));
  }
}
