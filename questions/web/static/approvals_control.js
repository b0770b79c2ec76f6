// Any number of several: boxes to tick, none of them too, and a button that sends.

import { Sending } from "./sending.js";
import { element, shown } from "./element.js";

export class ApprovalsControl {
  #boxes;
  #sending;

  constructor({ options }, names, submit, _fault, id) {
    this.#boxes = options.map((option) =>
      element("input", { type: "checkbox", value: option.id, id: `${id}-${option.id}` }),
    );
    const rows = options.map((option, place) =>
      element("label", { class: "option" }, this.#boxes[place], element("span", {}, shown(option.label))),
    );
    this.#sending = new Sending("Vote", () => submit(this.#ticked));
    const group = element("div", { role: "group", class: "options", ...names }, ...rows);
    const how = element("p", { class: "help" }, "Tick all that you approve of, or none.");
    this.node = element("form", { submit: this.#sending.submitted }, how, group, this.#sending.node);
  }

  get #ticked() {
    return this.#boxes.filter((box) => box.checked).map((box) => box.value);
  }

  get draft() {
    return this.#ticked.length ? JSON.stringify(this.#ticked) : "";
  }

  set draft(draft) {
    const ticked = JSON.parse(draft);
    for (const box of this.#boxes) box.checked = ticked.includes(box.value);
  }

  get arming() {
    return this.#sending.arming;
  }

  turn(isOn) {
    this.#sending.turn(isOn);
  }
}
