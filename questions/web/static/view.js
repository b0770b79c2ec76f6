// One object of the server that is viewed: what is open there, and what has gone of late.

/**
 * The base of `Viewer` and `Decisions`. Sends the events
 * - `open`, with `detail.put` (Map of what is new or changed) and `detail.drop` (Map of id to why it has gone),
 * - `closed`: the list of those that have gone of late has changed,
 * - `unavailable`, with `detail` saying why: there is no news for now; it comes back by itself. Empty: the
 *   link is lost,
 * - `refused`, with `detail` the error: there is nothing to see here for this token.
 */
export class View extends EventTarget {
  #session;
  #held;
  #open;
  #closed;
  #clock;
  #push;

  /** `toShow(followed)`: something new is to be shown; null: nobody asks whether it was. */
  constructor(session, kind, input, clock, push, toShow = null) {
    super();
    /** Whether what is shown is current; otherwise nothing can be answered for now. */
    this.isCurrent = false;
    this.#session = session;
    this.#clock = clock;
    this.#push = push;
    this.#held = session.get(kind, input);
    this.#open = session.follow(
      this.#held,
      "open",
      {
        changed: (what) => {
          this.isCurrent = true;
          this.#tell("open", what);
          if (what.put.size) toShow?.(this.#open);
        },
        unavailable: (why) => this.#away("unavailable", why),
        ended: (error) => this.#away("refused", error),
      },
      toShow !== null,
    );
    this.#closed = session.follow(this.#held, "closed", { changed: () => this.#tell("closed", null) });
  }

  /** What is open, a Map by id. */
  get open() {
    return this.#open.value ?? new Map();
  }

  /** What has gone of late, oldest first. */
  get closed() {
    return [...(this.#closed.value?.values() ?? [])];
  }

  /** Seconds until the `deadline` of what is open, by the host's clock; null without one. */
  remaining({ deadline }) {
    const now = this.#open.hostTime(this.#clock());
    return deadline === null || now === null ? null : deadline - now;
  }

  /** View it no more. */
  release() {
    this.#session.release(this.#held);
    this.#push();
  }

  /** For what is below: call a method. Fails with `Refused`, or `LinkLost`. */
  async call(method, args) {
    const called = this.#session.call(this.#held, method, args);
    this.#push();
    return called;
  }

  #away(how, why) {
    this.isCurrent = false;
    this.#tell(how, why);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
