// What can be done about a decision besides answering it: kept behind one more press, so that none of it is a slip.

import { DELAY } from "./arming.js";
import { Sending } from "./sending.js";
import { element, shown } from "./element.js";

const LONGEST = 500; // characters of a reason

/** One of them: a form with a button, and with a line for the reason if it takes one. */
class Act {
  #reason;
  #changed = -Infinity;

  constructor(what, id, run) {
    this.what = what;
    const act = () => {
      // Also a key, which comes from wherever the focus is, was meant for what stood here a moment ago.
      if (performance.now() - this.#changed < DELAY) return;
      run((viewer) => this.what.act(viewer, this.#reason?.value ?? ""));
    };
    this.#reason = what.reason === undefined ? null : element("input", { id, maxlength: LONGEST, autocomplete: "off" });
    this.sending = new Sending(shown(what.label), act);
    this.sending.button.className = "plain";
    const asked = this.#reason === null ? [] : [element("label", { for: id }, what.reason), this.#reason];
    this.node = element("form", { submit: this.sending.submitted }, ...asked, this.sending.node);
  }

  /** It may mean something else by now; what was typed stays. */
  update(what) {
    if (what.label !== this.what.label) {
      this.#changed = performance.now();
      this.sending.button.replaceChildren(shown(what.label));
      this.sending.arming.again();
    }
    this.what = what;
  }
}

export class Acts {
  #id;
  #run;
  #isOn = true;
  #acts = new Map();

  /** `run(act)` does `act(viewer)`, and says what comes of it. */
  constructor(id, run) {
    [this.#id, this.#run] = [id, run];
    this.node = element("details", { class: "acts", hidden: true, toggle: () => this.#opened() });
    this.#show("");
  }

  /** Of what is in view: to look where something is that is not costs the page a layout of its own. */
  get armings() {
    if (!this.node.open) return [];
    return [...this.#acts.values()].map((act) => act.sending.arming);
  }

  /** What there is now, `[{label, act(viewer, reason), reason}]`; `reason`: the words that ask for one. */
  update(acts) {
    const kinds = acts.map((what) => [what.reason === undefined ? "end" : "pass", what]);
    const isSame = kinds.length === this.#acts.size && kinds.every(([kind]) => this.#acts.has(kind));
    if (isSame) for (const [kind, what] of kinds) this.#acts.get(kind).update(what);
    else this.#make(kinds);
  }

  #make(kinds) {
    const old = this.#acts;
    const make = ([kind, what]) => [kind, old.get(kind) ?? new Act(what, `${this.#id}-${kind}`, this.#run)];
    this.#acts = new Map(kinds.map(make));
    for (const [kind, what] of kinds) this.#acts.get(kind).update(what);
    this.#show(this.#acts.has("pass") ? "Pass it on, or cancel it" : "Cancel it");
    this.turn(this.#isOn);
  }

  #show(words) {
    this.node.hidden = this.#acts.size === 0;
    this.node.replaceChildren(element("summary", {}, words), ...[...this.#acts.values()].map((act) => act.node));
  }

  turn(isOn) {
    this.#isOn = isOn;
    for (const act of this.#acts.values()) act.sending.turn(isOn);
  }

  /** What was hidden counts only once it has been in view for a while. */
  #opened() {
    for (const arming of this.armings) arming.again();
  }
}
