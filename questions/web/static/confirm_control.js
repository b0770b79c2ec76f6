// Yes or no: two buttons.

import { Arming } from "./arming.js";
import { element, shown } from "./element.js";

export class ConfirmControl {
  /** `submit(value)` gives an answer. */
  constructor(question, names, submit) {
    const button = (label, value, style) => {
      const click = () => this.arming.counts() && submit(value);
      return element("button", { type: "button", class: style, click }, shown(label));
    };
    const buttons = [button(question.allow, true, "primary"), button(question.deny, false, "plain")];
    this.node = element("div", { class: "buttons", role: "group", ...names }, ...buttons);
    this.arming = new Arming(buttons);
  }

  turn(isOn) {
    this.arming.turn(isOn);
  }
}
