// Yes or no: two buttons; or a few, each of which answers.

import { Arming } from "./arming.js";
import { element, shown } from "./element.js";

export class ConfirmControl {
  /** `submit(value)` gives an answer. `buttons`: `{label, value, style}`. */
  constructor({ buttons }, names, submit) {
    const made = buttons.map(({ label, value, style }) => {
      const click = () => this.arming.counts() && submit(value);
      return element("button", { type: "button", class: style, click }, shown(label));
    });
    this.node = element("div", { class: "buttons", role: "group", ...names }, ...made);
    this.arming = new Arming(made);
  }

  turn(isOn) {
    this.arming.turn(isOn);
  }
}
