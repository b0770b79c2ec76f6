// What a card shows of an open question, and does with it.

import { ballotControl, ballotLabel, isVote } from "./ballots.js";
import { ConfirmControl } from "./confirm_control.js";
import { SelectControl } from "./select_control.js";
import { TextControl } from "./text_control.js";
import { defaultOf, endOf, isSame, kindOf, labelOf, nameOf, namesOf, policyOf, scopeOf, voteEnded } from "./words.js";

const CONTROLS = { text: TextControl, select: SelectControl, confirm: ConfirmControl };

export class AskedQuestion {
  acts = [];

  /** `open`: a ShownQuestion of docs/wire.md. */
  constructor(open, me) {
    [this.open, this.me] = [open, me];
    this.id = open.id;
    this.at = open.asked_at;
    this.number = open.number;
    this.deadline = open.deadline;
    const { question } = open;
    [this.message, this.details, this.help] = [question.message, question.details, question.help];
    [this.kind, this.style] = [kindOf(question), question.kind];
    /** What makes two of them the same to a person: what is asked, by whom, and where. Ids change with a restart. */
    this.same = JSON.stringify([question, open.asker, open.scope]);
    [this.mayAnswer, this.isAnsweredByMe] = [open.may_answer, open.answered_by_me];
  }

  get heading() {
    const { asker, on_behalf_of: program } = this.open;
    const who = nameOf(asker, this.me);
    return program ? `${who} asks for ${nameOf(program, this.me)}` : `${who} asks`;
  }

  get isVote() {
    return isVote(this.open.policy) && this.open.question.kind === "select";
  }

  /** Whether who has answered may answer again, as long as it is open. */
  get mayRevise() {
    return this.mayAnswer && this.isVote;
  }

  /** Names and texts. */
  get facts() {
    const { scope, answered, waiting_for: waiting } = this.open;
    return [
      ["Where", scopeOf(scope)],
      ["Policy", [policyOf(this.open), defaultOf(this.open)].filter(Boolean).join(" ")],
      ["Answered", answered.length ? namesOf(answered, this.me) : "nobody yet"],
      ["Waiting for", waiting.length ? namesOf(waiting, this.me) : "nobody"],
    ];
  }

  /** The class of what it is answered with, undefined if this page knows none, and what that takes. */
  get control() {
    const { question, policy } = this.open;
    if (this.isVote) return ballotControl(question, policy);
    const { allow, deny } = question;
    const buttons = [{ label: allow, value: true, style: "primary" }, { label: deny, value: false, style: "plain" }];
    return [CONTROLS[question.kind], { ...question, buttons }];
  }

  /** Answer by way of a viewer. What the answer was called; null for a text, which is not repeated. */
  async answer(viewer, value) {
    await viewer.answer(this.id, value);
    const { question } = this.open;
    return typeof value === "object" ? ballotLabel(question, value) : labelOf(question, value);
  }

  /** How it has ended, as far as this page knows, until the server has told. `isMine`: this person has answered. */
  ending(how, isMine) {
    const { answered } = this.open;
    const mine = isMine && how === "answered" && !answered.some((who) => isSame(who, this.me));
    return { how, by: mine ? [...answered, this.me] : answered };
  }

  /** An ending in words. */
  endOf({ how, by }) {
    const isOver = how === "answered" || how === "expired";
    return this.isVote && isOver ? voteEnded(by, this.me) : endOf(how, by, this.me);
  }

  /** Whether this person is among those who have answered it. */
  isEndedByMe({ by }) {
    return by.some((who) => isSame(who, this.me));
  }
}
