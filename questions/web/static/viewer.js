// The questions of one scope, as one person sees them.

/**
 * Made by `link.questions(scope)`. Sends the events
 * - `open`, with `detail.put` (Map of what is new or changed) and `detail.drop` (Map of id to why it has gone),
 * - `closed`: the list of those that have gone of late has changed,
 * - `unavailable`, with `detail` saying why: there is no news for now; it comes back by itself. Empty: the
 *   link is lost,
 * - `refused`, with `detail` the error: there is nothing to see here for this token.
 */
export class Viewer extends EventTarget {
  #session;
  #held;
  #open;
  #closed;
  #clock;
  #push;

  constructor(session, scope, clock, push, toShow) {
    super();
    this.scope = scope;
    /** Whether what is shown is current; otherwise nothing can be answered for now. */
    this.isCurrent = false;
    this.#session = session;
    this.#clock = clock;
    this.#push = push;
    this.#held = session.get("questions", scope);
    this.#open = session.follow(
      this.#held,
      "open",
      {
        changed: (what) => {
          this.isCurrent = true;
          this.#tell("open", what);
          if (what.put.size) toShow(this.#open);
        },
        unavailable: (why) => this.#away("unavailable", why),
        ended: (error) => this.#away("refused", error),
      },
      true,
    );
    this.#closed = session.follow(this.#held, "closed", { changed: () => this.#tell("closed", null) });
  }

  /** The open questions, a Map by id; each is a ShownQuestion of docs/wire.md. */
  get open() {
    return this.#open.value ?? new Map();
  }

  /** The questions that have gone of late, oldest first; each is a ClosedQuestion of docs/wire.md. */
  get closed() {
    return [...(this.#closed.value?.values() ?? [])];
  }

  /** Answer a question. Fails with `Refused`, or `LinkLost`: then it is not known, and a person may press again. */
  async answer(id, value) {
    const answered = this.#session.call(this.#held, "answer", { id, value });
    this.#push();
    await answered;
  }

  /** Seconds until the deadline of a question, by the host's clock; null without one. */
  remaining(question) {
    const now = this.#open.hostTime(this.#clock());
    return question.deadline === null || now === null ? null : question.deadline - now;
  }

  /** View it no more. */
  release() {
    this.#session.release(this.#held);
    this.#push();
  }

  #away(how, why) {
    this.isCurrent = false;
    this.#tell(how, why);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
