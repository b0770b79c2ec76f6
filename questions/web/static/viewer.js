// The questions of one scope, as one person sees them.

import { View } from "./view.js";

/** Made by `link.questions(scope)`. In `open` are ShownQuestions, in `closed` ClosedQuestions of docs/wire.md. */
export class Viewer extends View {
  constructor(session, scope, clock, push, toShow) {
    super(session, "questions", scope, clock, push, toShow);
    this.scope = scope;
  }

  /** Answer a question. Fails with `Refused`, or `LinkLost`: then it is not known, and a person may press again. */
  async answer(id, value) {
    await this.call("answer", { id, value });
  }
}
