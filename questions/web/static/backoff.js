// How long to wait before the next try.

const SHORTEST = 0.1;
const LONGEST = 5;

/** Pauses that double up to 5 s, with jitter, so that a thousand pages do not come back at once. */
export class Backoff {
  #chance;
  #next = SHORTEST;

  /** `chance()`: a number from 0 to 1. */
  constructor(chance = Math.random) {
    this.#chance = chance;
  }

  /** Seconds to wait now. */
  pause() {
    const pause = this.#next;
    this.#next = Math.min(pause * 2, LONGEST);
    return pause * (0.5 + 0.5 * this.#chance());
  }

  /** It has worked: begin from the start the next time. */
  reset() {
    this.#next = SHORTEST;
  }
}
