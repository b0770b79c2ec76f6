// The list of cards: oldest first, changed in place, so that what is typed and where the cursor is stay as they are.

import { Arming } from "./arming.js";
import { Card } from "./card.js";
import { Drafts, isSameAsked } from "./drafts.js";

const NOTE_STAYS = 8000; // milliseconds for which the note stays that says how a question has ended
const MOST_NOTES = 20; // at once; the history of the visit has them all

const isOlder = (one, other) => one.at - other.at || one.number - other.number;

/** Sends `asked` and `ended` with the card as `detail`, and `changed` after anything. */
export class Cards extends EventTarget {
  #list;
  #fallback;
  #cards = new Map();
  #drafts = new Drafts();

  /** `list`: the element; `fallback`: what takes the focus when there is no card left to take it. */
  constructor(list, fallback) {
    super();
    [this.#list, this.#fallback] = [list, fallback];
    setInterval(() => this.#each((card) => card.tick()), 1000);
    const again = (arming) => arming.again();
    document.addEventListener("visibilitychange", () => this.#each((card) => card.armings.forEach(again)));
    const sizes = new ResizeObserver(() => this.#moved());
    for (const element of [document.body, list]) sizes.observe(element);
  }

  /** How many wait for this person. */
  get waiting() {
    return [...this.#cards.values()].filter((card) => card.waitsForMe).length;
  }

  get size() {
    return this.#cards.size;
  }

  /** Show what is open for a viewer from now on. `asked(open)` makes an `AskedQuestion`, or its like, of each. */
  show(viewer, asked) {
    const change = ({ put, drop }) => this.#change(viewer, [...put.values()].map(asked), drop);
    viewer.addEventListener("open", ({ detail }) => change(detail));
    viewer.addEventListener("closed", () => this.#explain(viewer));
    for (const type of ["unavailable", "refused"]) {
      viewer.addEventListener(type, () => this.#each((card) => card.turn()));
    }
  }

  #each(act) {
    for (const card of this.#cards.values()) act(card);
  }

  #change(viewer, put, drop) {
    for (const [id, how] of drop) this.#drop(viewer, id, how);
    for (const asked of put.sort(isOlder)) {
      const card = this.#cards.get(asked.id);
      if (card?.ending === null) card.update(viewer, asked);
      else this.#add(viewer, asked);
    }
    this.#each((card) => card.turn());
    this.dispatchEvent(new Event("changed"));
  }

  #add(viewer, asked) {
    this.#cards.get(asked.id)?.node.remove();
    const card = new Card(viewer, asked);
    this.#cards.set(asked.id, card);
    const older = [...this.#cards.values()].filter((one) => one !== card && isOlder(one.asked, asked) <= 0);
    const after = older.sort((one, other) => isOlder(one.asked, other.asked)).at(-1);
    if (after) after.node.after(card.node);
    else this.#list.prepend(card.node);
    this.#restore(card);
    this.dispatchEvent(new CustomEvent("asked", { detail: card }));
  }

  /** What was typed into the same question before it went away, and the cursor unless it is elsewhere by now. */
  #restore(card) {
    for (const old of [...this.#cards.values()].filter((one) => one.keepsDraft)) {
      if (isSameAsked(old.asked, card.asked)) this.#takeAway(old.asked.id, old);
    }
    const kept = this.#drafts.take(card.asked);
    if (kept === null) return;
    card.draft = kept.text;
    const at = document.activeElement;
    if (kept.hadFocus && (at === null || at === document.body || at.tabIndex < 0)) card.focus();
  }

  #drop(viewer, id, how) {
    const card = this.#cards.get(id);
    if (!card || card.ending !== null) return;
    this.#keepDraft(card, how);
    const closed = viewer.closed.find((one) => one.id === id);
    card.end(closed ?? card.asked.ending(how, card.hasAnswered));
    this.dispatchEvent(new CustomEvent("ended", { detail: card }));
    setTimeout(() => this.#remove(id, card), NOTE_STAYS);
    this.#makeRoom();
  }

  /** When very much ends at once, its notes do not bury what is open. */
  #makeRoom() {
    const isInUse = (card) => card.ending === null || card.keepsDraft || card.node.matches(":hover, :focus-within");
    const notes = [...this.#cards].filter(([, card]) => !isInUse(card));
    for (const [id, card] of notes.slice(0, -MOST_NOTES)) this.#takeAway(id, card);
  }

  #keepDraft(card, how) {
    if (how !== "answered") this.#drafts.keep(card.asked, card.draft, card.node.contains(document.activeElement));
  }

  /** The server has told more about those that have ended. */
  #explain(viewer) {
    for (const closed of viewer.closed) {
      const card = this.#cards.get(closed.id);
      if (card && card.ending !== null) card.end(closed);
    }
    this.dispatchEvent(new Event("changed"));
  }

  /** Take a note away; one that is being read stays a little longer. */
  #remove(id, card) {
    if (this.#cards.get(id) !== card) return;
    if (card.node.matches(":hover, :focus-within")) {
      if (document.hasFocus()) return void setTimeout(() => this.#remove(id, card), NOTE_STAYS / 4);
      (card.node.nextElementSibling?.querySelector("h3") ?? this.#fallback).focus();
    }
    this.#takeAway(id, card);
    this.#moved();
    this.dispatchEvent(new Event("changed"));
  }

  #takeAway(id, card) {
    if (card.keepsDraft) this.#keepDraft(card, card.ending.how);
    this.#cards.delete(id);
    card.node.remove();
  }

  /** Cards may be elsewhere than a moment ago, under a finger that is on its way down. */
  #moved() {
    Arming.moved([...this.#cards.values()].flatMap((card) => card.armings));
  }
}
