// One of several: radio buttons, which arrows move through, and a button that sends.

import { Sending } from "./sending.js";
import { element, shown } from "./element.js";

export class SelectControl {
  #options;
  #sending;
  #isTold = false;

  /** `send`: what the button is called. */
  constructor({ options, send = "Answer" }, names, submit, fault, id) {
    this.#options = options.map((option) =>
      element("input", { type: "radio", name: id, value: option.id, id: `${id}-${option.id}` }),
    );
    const rows = options.map((option, place) =>
      element("label", { class: "option" }, this.#options[place], element("span", {}, shown(option.label))),
    );
    this.#sending = new Sending(send, () => {
      const chosen = this.#options.find((option) => option.checked);
      this.#isTold = !chosen;
      if (chosen) submit(chosen.value);
      else fault("Choose one first.", this.#options[0]);
    });
    const group = element("div", { role: "radiogroup", class: "options", ...names }, ...rows);
    group.addEventListener("change", () => {
      if (this.#isTold) fault("");
      this.#isTold = false;
    });
    this.node = element("form", { submit: this.#sending.submitted }, group, this.#sending.node);
  }

  get draft() {
    return this.#options.find((option) => option.checked)?.value ?? "";
  }

  set draft(value) {
    for (const option of this.#options) option.checked = option.value === value;
  }

  get arming() {
    return this.#sending.arming;
  }

  turn(isOn) {
    this.#sending.turn(isOn);
  }
}
