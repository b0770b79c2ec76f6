// The requests of workflows that wait for a person, as one who may answer them sees them.

import { View } from "./view.js";

/**
 * Made by `link.gates()`. In `open` are ShownGates, in `closed` ClosedGates of docs/wire.md. What is not answered fails
 * with `Refused`, which says why, or `LinkLost`: then it is not known.
 */
export class Gates extends View {
  constructor(session, clock, push) {
    super(session, "gates", null, clock, push);
  }

  /**
   * Answer a ShownGate with `{choice}`, or `{choice, input: {name: text}}`. `act`: a text of one's own for what the
   * person did: sent again with it after a loss, it counts once. Returns the ClosedGate.
   */
  answer(open, response, act) {
    return this.call("answer", { decision_id: open.id, request_digest: open.view.requestDigest, response, act });
  }
}
