// What a card shows of an open decision, and does with it.

import { ConfirmControl } from "./confirm_control.js";
import { SelectControl } from "./select_control.js";
import { TextControl } from "./text_control.js";
import { instantOf, nameOf } from "./words.js";

const CONTROLS = { text: TextControl, editor: TextControl, select: SelectControl, confirm: ConfirmControl };
const ROWS = { text: 2, editor: 12 };
const LONGEST = 4000; // characters of a text
const INPUTS = { text: "Text", editor: "Long text", select: "Choice", confirm: "Yes or no" };
const KINDS = { approval: "Approval", escalation: "Escalation" };
const STYLES = { yes: "primary" };

/** What stands in a table for a word of somebody else's, which may be called as something that every object has. */
const inTable = (table, word) => (Object.hasOwn(table, word) ? table[word] : undefined);

/** Of this page: an answer that is sent again after a loss is known again by it, and counts once. */
const TOKEN = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join("-");

export class AskedDecision {
  help = null;
  number = 0;
  isAnsweredByMe = false;

  /** `open`: a ShownDecision of docs/wire.md. */
  constructor(open, me) {
    [this.open, this.me] = [open, me];
    const record = (this.record = open.decision);
    this.id = this.same = open.id; // which is the same after a restart
    this.at = record.createdAt / 1000;
    this.deadline = open.deadline;
    [this.message, this.details] = [record.title, record.body ?? ""];
    [this.kind, this.style] = [KINDS[record.kind] ?? INPUTS[record.input] ?? "Decision", record.input];
    this.mayAnswer = open.may_answer;
  }

  get heading() {
    const who = this.#participant(this.record.raisedBy.participantId);
    return who === "you" ? "You ask for a decision" : `${who} asks for a decision`;
  }

  get facts() {
    const { holder, history = [] } = this.record;
    const { hop, hops, next } = this.open;
    const chain = hop === null ? [] : [`hop ${hop} of ${hops}`, ...this.#next(next)];
    const held = [this.#holder(holder), chain.join(", ")].filter(Boolean).join(": ");
    const before = history.map((move) => ["Before", this.#move(move)]);
    return [["Held by", held], ["If nobody answers", this.#left()], ...before];
  }

  #next(next) {
    return next.length ? [`next: ${next.map((holder) => this.#holder(holder)).join(", then ")}`] : ["the last one"];
  }

  /** What happens by itself. */
  #left() {
    const { ends_at: end, default: preset } = this.open;
    if (end === null) return "it stays open";
    const what = preset === null ? "it ends without an answer" : `“${this.#label(preset)}”, by itself`;
    return `by ${instantOf(end)}: ${what}`;
  }

  #move({ holder, until, reason, text, by }) {
    const at = instantOf(until / 1000);
    if (reason !== "escalated") return `${this.#holder(holder)}, whose time was over at ${at}`;
    const isOwn = by === undefined || holder === `supervisor:${by}`;
    const who = isOwn ? "" : ` by ${this.#participant(by)}`;
    return `${this.#holder(holder)}, passed on${who} at ${at}${text ? `: “${text}”` : ""}`;
  }

  #label(id) {
    return this.record.options?.find((option) => option.id === id)?.label ?? id;
  }

  #holder(holder) {
    if (holder === "user") return "a person";
    if (holder === "root") return "root";
    const id = holder.replace(/^supervisor:/, "");
    return nameOf({ kind: "program", id, name: this.#named(holder) ?? id }, this.me);
  }

  #participant(participant) {
    const [, kind = "program", id = participant] = /^(user|server|worker):(.*)$/s.exec(participant) ?? [];
    return nameOf({ kind, id, name: this.#named(participant) ?? id }, this.me);
  }

  /** How the host calls somebody who stands in the record. */
  #named(one) {
    return inTable(this.open.names, one);
  }

  get control() {
    const { input, options = [] } = this.record;
    const buttons = options.map(({ id, label }) => ({ label, value: id, style: inTable(STYLES, id) ?? "plain" }));
    const limits = { secret: false, min_length: 0, max_length: LONGEST, max_bytes: Infinity, rows: ROWS[input] };
    return [CONTROLS[input], { options, buttons, ...limits }];
  }

  /** What else can be done about it: see `Acts`. */
  get acts() {
    const pass = {
      label: `Pass on to ${this.open.next.length ? this.#holder(this.open.next[0]) : "nobody"}`,
      reason: "Why, if you like to say",
      act: (viewer, reason) => viewer.escalate(this.id, reason || null),
    };
    const cancel = { label: "Cancel this decision", act: (viewer) => viewer.cancel(this.id) };
    return [...(this.open.may_escalate ? [pass] : []), ...(this.open.may_cancel ? [cancel] : [])];
  }

  async answer(viewer, value) {
    const given = this.record.options ? { option: value } : { text: value };
    const { answer } = await viewer.answer(this.id, { ...given, token: TOKEN });
    this.isAnsweredByMe = true;
    return answer.optionId === undefined ? null : this.#label(answer.optionId);
  }

  ending(how, isMine) {
    return { how, by: isMine ? this.me.id : null, via: null, answer: null, isMine };
  }

  endOf({ how, by, via, answer, isMine }) {
    const given = answer === null || isMine ? "" : `: “${answer}”`;
    if (how === "moved") return "It has gone on to somebody else";
    if (how === "gone") return "It is not there any more";
    if (how === "answered") return by === null ? "Answered" : `Answered by ${isMine ? "you" : by}${given}`;
    if (how === "cancelled") return by === null ? "Cancelled" : `Cancelled by ${by}`;
    if (how === "expired" && via === "expiry") return `Answered automatically, by the deadline${given}`;
    return how === "expired" ? "Expired without an answer" : "No longer open";
  }

  isEndedByMe({ isMine }) {
    return Boolean(isMine);
  }
}
