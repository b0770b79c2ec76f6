// Text, with a counter; a secret one is covered until it is revealed.

import { Sending } from "./sending.js";
import { element } from "./element.js";

const QUIET = 65_536; // a limit that nobody meets is not shown

/** Nothing remembers a secret: not the browser, and none of the usual managers of passwords. */
const UNKEPT = { autocomplete: "off", "data-1p-ignore": true, "data-lpignore": "true", "data-bwignore": true };
const AS_TYPED = { autocapitalize: "off", autocorrect: "off", spellcheck: "false" };

const sizeOf = (text) => new TextEncoder().encode(text).length;

export class TextControl {
  #question;
  #field;
  #counter;
  #sending;
  #submit;
  #fault;

  constructor(question, names, submit, fault, id) {
    [this.#question, this.#submit, this.#fault] = [question, submit, fault];
    const described = [names["aria-describedby"], `${id}-count`].filter(Boolean).join(" ");
    const describes = { ...names, "aria-describedby": described };
    this.#field = question.secret
      ? element("input", { type: "password", ...UNKEPT, ...AS_TYPED, ...describes })
      : element("textarea", { rows: String(question.rows ?? 3), autocomplete: "off", ...describes });
    this.#field.addEventListener("input", () => this.#count());
    this.#counter = element("span", { class: "counter", id: `${id}-count` });
    this.#sending = new Sending("Answer", () => this.#send(), ...this.#besides(), this.#counter);
    this.node = element("form", { submit: this.#sending.submitted }, this.#field, this.#sending.node);
    if (!question.secret) this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#count();
  }

  /** What has been typed. */
  get draft() {
    return this.#question.secret ? "" : this.#field.value;
  }

  set draft(text) {
    this.#field.value = text;
    this.#count();
  }

  /** Whether what has been typed is worth keeping when the question goes: not a secret, which nothing keeps. */
  get isKept() {
    return !this.#question.secret && (this.draft !== "" || this.#field === document.activeElement);
  }

  /** A secret field begins empty: the rest of what was typed into another one must not be taken for all of it. */
  get isFocusable() {
    return !this.#question.secret;
  }

  focus() {
    this.#field.focus();
  }

  get arming() {
    return this.#sending.arming;
  }

  turn(isOn) {
    this.#sending.turn(isOn);
  }

  /** Nothing can be sent from here any more. */
  retire() {
    this.#sending.button.remove();
  }

  /** It has been answered: nothing of it stays. */
  clear() {
    this.draft = "";
  }

  #besides() {
    if (!this.#question.secret) return [];
    const reveal = element("button", { type: "button", class: "plain", "aria-pressed": "false" }, "Show");
    reveal.addEventListener("click", () => {
      const isShown = this.#field.type === "password";
      this.#field.type = isShown ? "text" : "password";
      reveal.setAttribute("aria-pressed", String(isShown));
    });
    return [reveal];
  }

  #key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat || event.isComposing) return;
    event.preventDefault();
    this.#field.form.requestSubmit();
  }

  #count() {
    const { min_length: least, max_length: longest = Infinity, max_bytes: most } = this.#question;
    const [length, size] = [[...this.#field.value].length, sizeOf(this.#field.value)];
    const parts = [`${length.toLocaleString("en")} ${length === 1 ? "character" : "characters"}`];
    if (length < least) parts.push(`at least ${least.toLocaleString("en")}`);
    if (most < QUIET || size > most) parts.push(`${size.toLocaleString("en")} of ${most.toLocaleString("en")} bytes`);
    this.#counter.textContent = parts.join(", ");
    if (longest < Infinity) parts[0] += ` of ${longest.toLocaleString("en")}`;
    this.#counter.classList.toggle("over", size > most || length > longest);
    if (!this.#faults().length) this.#field.removeAttribute("aria-invalid");
  }

  #faults() {
    const { min_length: least, max_length: longest = Infinity, max_bytes: most } = this.#question;
    const text = this.#field.value;
    if (!text.isWellFormed()) return ["Some character of it is broken; type it again."];
    if ([...text].length < least)
      return [`Too short: at least ${least.toLocaleString("en")} ${least === 1 ? "character" : "characters"}.`];
    const tooLong = (limit, unit) => [`Too long: at most ${limit.toLocaleString("en")} ${unit}. Nothing was sent.`];
    if ([...text].length > longest) return tooLong(longest, "characters");
    return sizeOf(text) > most ? tooLong(most, "bytes") : [];
  }

  #send() {
    const [fault] = this.#faults();
    if (fault === undefined) return this.#submit(this.#field.value);
    this.#field.setAttribute("aria-invalid", "true");
    this.#fault(fault, this.#field);
  }
}
