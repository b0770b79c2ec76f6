// A number for each option: points between two limits, or credits out of a budget, with what is left of it.

import { Sending } from "./sending.js";
import { element, shown } from "./element.js";

export class NumbersControl {
  #fields;
  #limits;
  #left;
  #sending;
  #submit;
  #fault;

  /** `limits`: `least` and `most` of each, `step`, and `budget`, null for points. */
  constructor({ options, limits }, names, submit, fault, id) {
    [this.#limits, this.#submit, this.#fault] = [limits, submit, fault];
    const { least, most, step } = limits;
    const bounds = { type: "number", inputmode: "decimal", min: String(least), max: String(most), step };
    this.#fields = options.map((option) =>
      element("input", { ...bounds, name: option.id, id: `${id}-${option.id}`, "aria-describedby": `${id}-left` }),
    );
    const rows = options.map((option, place) =>
      element("label", { class: "option" }, element("span", {}, shown(option.label)), this.#fields[place]),
    );
    this.#left = element("p", { class: "counter", id: `${id}-left`, role: "status" });
    this.#sending = new Sending("Vote", () => this.#send());
    const group = element("div", { role: "group", class: "options numbers", ...names }, ...rows);
    this.node = element("form", { novalidate: true, submit: this.#sending.submitted }, group, this.#left);
    this.node.append(this.#sending.node);
    this.node.addEventListener("input", () => this.#count());
    this.#count();
  }

  /** What is filled in; null where that is no number. */
  get #numbers() {
    const given = this.#fields.filter((field) => field.value !== "" || field.validity.badInput);
    return given.map((field) => [field, field.validity.badInput ? null : Number(field.value)]);
  }

  get #sum() {
    return this.#numbers.reduce((sum, [, number]) => sum + (number ?? 0), 0);
  }

  #count() {
    const { least, most, budget } = this.#limits;
    if (budget === null) {
      this.#left.textContent = `From ${least} to ${most} points each; what is left empty has ${least}.`;
      return;
    }
    const left = budget - this.#sum;
    const isOver = left < 0;
    this.#left.textContent = isOver ? `${-left} more than the ${budget} credits` : `${left} of ${budget} credits left`;
    this.#left.classList.toggle("over", isOver);
  }

  #send() {
    const { least, most, budget } = this.#limits;
    const isRight = (number) => number !== null && number >= least && number <= most;
    const isWhole = (number) => budget === null || Number.isInteger(number);
    const wrong = this.#numbers.find(([, number]) => !isRight(number) || !isWhole(number));
    const [field] = wrong ?? this.#fields;
    const kind = budget === null ? "A number" : "A whole number";
    if (wrong) return this.#fault(`${kind} from ${least} to ${most}.`, field);
    if (budget !== null && this.#sum > budget) return this.#fault(`At most ${budget} credits in all.`, field);
    if (!this.#numbers.some(([, number]) => number > least)) {
      return this.#fault(budget === null ? `Give something more than ${least}.` : "Spend one credit at least.", field);
    }
    this.#submit(Object.fromEntries(this.#numbers.map(([each, number]) => [each.name, number])));
  }

  get draft() {
    const given = this.#fields.filter((field) => field.value !== "").map((field) => [field.name, field.value]);
    return given.length ? JSON.stringify(Object.fromEntries(given)) : "";
  }

  set draft(draft) {
    const given = JSON.parse(draft);
    for (const field of this.#fields) field.value = given[field.name] ?? "";
    this.#count();
  }

  get arming() {
    return this.#sending.arming;
  }

  turn(isOn) {
    this.#sending.turn(isOn);
  }
}
