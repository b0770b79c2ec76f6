// The decisions of the server's store, as one person sees them.

import { View } from "./view.js";

/**
 * Made by `link.decisions()`. In `open` are ShownDecisions, in `closed` ClosedDecisions of docs/wire.md. What acts on a
 * decision gives the record as it stands then, and fails with `Refused`, or `LinkLost`: then it is not known.
 */
export class Decisions extends View {
  constructor(session, clock, push) {
    super(session, "decisions", null, clock, push);
  }

  /** Answer with `{option}`, `{text}` or both; and with a `token` of one's own it may be sent again after a loss. */
  answer(id, answer) {
    return this.call("answer", { id, ...answer });
  }

  /** Pass a decision on to its next holder; `reason` may be null. */
  escalate(id, reason) {
    return this.call("escalate", { id, reason });
  }

  /** Take a decision back: it ends without an answer. */
  cancel(id) {
    return this.call("cancel", { id });
  }
}
