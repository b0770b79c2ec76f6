// Options in an order, the best first, and some left out: buttons that move each, and arrows on them that do the same.

import { Sending } from "./sending.js";
import { element, shown } from "./element.js";

export class RankingControl {
  #rows;
  #ranked = [];
  #list;
  #status;
  #sending;

  constructor({ options }, names, submit, fault) {
    this.#rows = new Map(options.map((option) => [option.id, this.#row(option)]));
    this.#list = element("ol", { class: "options ranking", ...names });
    this.#status = element("p", { class: "counter", role: "status" });
    this.#sending = new Sending("Vote", () => {
      if (this.#ranked.length) submit([...this.#ranked]);
      else fault("Rank one at least.", this.#rows.get(options[0].id).up);
    });
    const how = element("p", { class: "help" }, "Rank the best first; what you leave out has no rank.");
    this.node = element("form", { submit: this.#sending.submitted }, how, this.#list, this.#status, this.#sending.node);
    this.#order();
  }

  #row({ id, label }) {
    const place = element("span", { class: "place" });
    const button = (name, words, step) => {
      const names = { class: "plain", "aria-label": `${words}: ${shown(label).textContent}` };
      return element("button", { type: "button", ...names, click: () => this.#move(id, step, name) }, words);
    };
    const [up, down] = [button("up", "Better", -1), button("down", "Worse", 1)];
    const node = element("li", { class: "option", keydown: (event) => this.#key(event, id) });
    node.append(place, element("span", { class: "name" }, shown(label)), up, down);
    return { node, place, up, down, label };
  }

  #key(event, id) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#move(id, step, event.target === this.#rows.get(id).down ? "down" : "up");
  }

  /** Better: to the end of the ranks, then up. Worse: down, and from the end out of them. */
  #move(id, step, button) {
    const [at, ranked] = [this.#ranked.indexOf(id), this.#ranked];
    if (at < 0 && step < 0) ranked.push(id);
    else if (at >= 0 && at === ranked.length - 1 && step > 0) ranked.pop();
    else if (at >= 0 && at + step >= 0) [ranked[at], ranked[at + step]] = [ranked[at + step], ranked[at]];
    this.#order();
    const { label } = this.#rows.get(id);
    const now = ranked.indexOf(id);
    this.#status.replaceChildren(shown(label), now < 0 ? " has no rank" : ` is number ${now + 1} of ${ranked.length}`);
    this.#rows.get(id)[button].focus(); // a row that moves loses it
  }

  #order() {
    const others = [...this.#rows.keys()].filter((id) => !this.#ranked.includes(id));
    [...this.#ranked, ...others].forEach((id, place) => {
      const { node, place: shownPlace } = this.#rows.get(id);
      const isRanked = place < this.#ranked.length;
      shownPlace.textContent = isRanked ? `${place + 1}.` : "\u2013";
      node.classList.toggle("ranked", isRanked);
      this.#list.append(node);
    });
  }

  get draft() {
    return this.#ranked.length ? JSON.stringify(this.#ranked) : "";
  }

  set draft(draft) {
    this.#ranked = JSON.parse(draft).filter((id) => this.#rows.has(id));
    this.#order();
  }

  get arming() {
    return this.#sending.arming;
  }

  turn(isOn) {
    this.#sending.turn(isOn);
  }
}
