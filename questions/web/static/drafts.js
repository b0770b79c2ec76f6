// What was typed into questions that have gone, until the same question is asked again.

const MOST = 50;

/** Whether the same is asked again. */
export const isSameAsked = (one, other) => one.same === other.same;

/** In memory alone, and never of a secret. */
export class Drafts {
  #kept = new Map();

  /** `hadFocus`: whether the cursor was in it. */
  keep(asked, text, hadFocus) {
    if (!text && !hadFocus) return;
    this.#kept.delete(asked.same);
    this.#kept.set(asked.same, { text, hadFocus });
    if (this.#kept.size > MOST) this.#kept.delete(this.#kept.keys().next().value);
  }

  /** Hands out once what was typed into the same question before. */
  take(asked) {
    const kept = this.#kept.get(asked.same) ?? null;
    this.#kept.delete(asked.same);
    return kept;
  }
}
