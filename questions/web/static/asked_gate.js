// What a card shows of a request of a workflow, and does with it: the document that every channel shows, as it comes.

import { ChoiceControl } from "./choice_control.js";

const TOO_LATE = ["settled_already", "decision_cancelled", "deadline_passed"];
const REFUSALS = {
  key_reused: "Something else was sent under the same name. Choose again.",
  stale: "This is not what is asked any more. Load the page again.",
};

/** Of this page: with it the same answer to the same request is the same act, which counts once. */
const PAGE = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join("-");

export class AskedGate {
  help = null;
  number = 0;
  acts = [];
  mayAnswer = true; // others are not shown it
  isAnsweredByMe = false;
  #answers = [];

  /** `open`: a ShownGate of docs/wire.md. */
  constructor(open) {
    this.open = open;
    const { document: shown, view } = open;
    this.id = this.same = open.id; // which is the same after a restart
    this.at = Date.parse(view.createdAt) / 1000;
    this.deadline = open.deadline;
    this.message = shown.title;
    this.details = [shown.summary, ...shown.blocks].join("\n\n");
    [this.kind, this.style] = [`Fingerprint ${shown.fingerprint}`, "gate"];
  }

  get heading() {
    const { runId, workflowName, nodeId } = this.open.view;
    return `Run ${runId} of ${workflowName} waits at ${nodeId}`; // two that are open never say the same
  }

  get facts() {
    const { document: shown, view } = this.open;
    const left = shown.deadline ?? "It stays open until somebody chooses.";
    return [["If nobody chooses", left], ["Asked of", view.audience]];
  }

  get control() {
    const lines = this.open.document.choices;
    const terms = Object.entries(this.open.view.choices);
    return [ChoiceControl, { choices: terms.map(([id, { input }], at) => ({ id, line: lines[at], input })) }];
  }

  async answer(viewer, response) {
    try {
      const closed = await viewer.answer(this.open, response, this.#actOf(response));
      this.isAnsweredByMe = true;
      return closed.answer;
    } catch (error) {
      if (TOO_LATE.includes(error.code)) {
        throw Object.assign(new Error(error.message), { code: "not_open", data: { answered_by_me: false } });
      }
      if (Object.hasOwn(REFUSALS, error.code)) throw new Error(REFUSALS[error.code]);
      throw error;
    }
  }

  /** Another answer is another act; the same one, pressed again as nobody knew whether it had arrived, is not. */
  #actOf(response) {
    const given = JSON.stringify(response);
    if (!this.#answers.includes(given)) this.#answers.push(given);
    return `${PAGE}:${this.#answers.indexOf(given)}`;
  }

  ending(how) {
    return { how, provenance: null, words: "" };
  }

  /** In the words of the server, which never put what a timeout has chosen as somebody's decision. */
  endOf({ how, provenance, words, isMine }) {
    const said = words.replace(/\.$/, "");
    if (how !== "answered" || provenance === "timeout") return said || "No longer open";
    if (isMine) return "Answered by you";
    return said ? `Settled elsewhere. ${said}` : "Settled elsewhere";
  }

  isEndedByMe({ isMine }) {
    return Boolean(isMine);
  }
}
