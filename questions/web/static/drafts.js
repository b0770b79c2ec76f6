// What was typed into questions that have gone, until the same question is asked again.

const MOST = 50;

/** What makes two questions the same to a person: what is asked, by whom, and where. Ids change with a restart. */
const nameOf = ({ question, asker, scope }) => JSON.stringify([question, asker, scope]);

/** Whether the same is asked again. */
export const isSameAsked = (one, other) => nameOf(one) === nameOf(other);

/** In memory alone, and never of a secret. */
export class Drafts {
  #kept = new Map();

  /** `hadFocus`: whether the cursor was in it. */
  keep(open, text, hadFocus) {
    if (!text && !hadFocus) return;
    this.#kept.delete(nameOf(open));
    this.#kept.set(nameOf(open), { text, hadFocus });
    if (this.#kept.size > MOST) this.#kept.delete(this.#kept.keys().next().value);
  }

  /** Hands out once what was typed into the same question before. */
  take(open) {
    const kept = this.#kept.get(nameOf(open)) ?? null;
    this.#kept.delete(nameOf(open));
    return kept;
  }
}
