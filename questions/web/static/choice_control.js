// One of several choices, and below them the text that the chosen one takes, if it takes one.

import { SelectControl } from "./select_control.js";
import { TextControl } from "./text_control.js";
import { element, shown } from "./element.js";

const ROWS = 4;

export class ChoiceControl {
  #select;
  #button;
  #texts = new Map();
  #isOn = true;

  /** `submit(response)`. `choices`: `{id, line, input}`; `line` says what it is called and what it asks for. */
  constructor({ choices }, names, submit, fault, id) {
    const options = choices.map((choice) => ({ id: choice.id, label: choice.line }));
    this.#select = new SelectControl({ options }, names, (choice) => submit({ choice }), fault, id);
    for (const { id: choice, input } of choices.filter((one) => one.input)) {
      this.#texts.set(choice, this.#textOf(choice, input, submit, fault, `${id}-${choice}`));
    }
    this.#button = this.#select.node.lastElementChild;
    this.#select.node.addEventListener("change", () => this.#chosen());
    this.node = element("div", { class: "choices" }, this.#select.node);
    this.#chosen();
  }

  /** A text is sent exactly as it was typed. */
  #textOf(choice, input, submit, fault, id) {
    const limits = { min_length: input.minLength, max_length: input.maxLength, max_bytes: Infinity };
    const give = (text) => submit({ choice, input: { [input.name]: text } });
    const names = { "aria-labelledby": `${id}-asked` };
    const control = new TextControl({ ...limits, secret: false, rows: ROWS }, names, give, fault, id);
    const asked = element("p", { class: "asked-text", id: `${id}-asked` }, shown(input.prompt));
    return { control, node: element("div", {}, asked, control.node) };
  }

  /** There is the field of what is chosen, and the one button that sends it. */
  #chosen() {
    const chosen = this.#texts.get(this.#select.draft);
    for (const text of this.#texts.values()) if (text !== chosen) text.node.remove();
    if (chosen) this.#button.remove();
    else this.#select.node.append(this.#button);
    if (chosen && !chosen.node.isConnected) this.node.append(chosen.node);
    this.arming.again();
    this.turn(this.#isOn);
  }

  get #text() {
    return this.#texts.get(this.#select.draft)?.control ?? null;
  }

  get draft() {
    const texts = [...this.#texts].map(([choice, { control }]) => [choice, control.draft]).filter(([, text]) => text);
    const choice = this.#select.draft;
    return choice || texts.length ? JSON.stringify({ choice, texts }) : "";
  }

  set draft(draft) {
    const { choice, texts } = JSON.parse(draft);
    this.#select.draft = choice;
    for (const [id, text] of texts) if (this.#texts.has(id)) this.#texts.get(id).control.draft = text;
    this.#chosen();
  }

  /** Whether something was typed that is worth keeping when the request goes. */
  get isKept() {
    return this.#text?.isKept ?? false;
  }

  get isFocusable() {
    return this.#text !== null;
  }

  focus() {
    this.#text?.focus();
  }

  get arming() {
    return (this.#text ?? this.#select).arming;
  }

  turn(isOn) {
    this.#isOn = isOn;
    for (const control of [this.#select, ...[...this.#texts.values()].map((one) => one.control)]) control.turn(isOn);
  }

  /** Nothing can be sent from here any more; what was typed can still be copied. */
  retire() {
    this.#select.node.remove();
    for (const { control } of this.#texts.values()) control.retire();
  }

  /** It has been answered: nothing of it stays. */
  clear() {
    for (const { control } of this.#texts.values()) control.clear();
  }
}
