// What a screen reader is told, whatever it reads just now.

import { element } from "./element.js";

const GATHER = 200; // milliseconds: what happens together is said together
const PAUSE = 2000; // milliseconds between two things that are said, at least
const MOST = 3; // of a kind; more of them are counted

const COUNTED = {
  asked: (count) => `${count} new questions.`,
  ended: (count) => `${count} questions have ended.`,
};

export class Announcer {
  #region;
  #coming = { asked: [], ended: [] };
  #timer = 0;
  #next = 0;

  /** `region`: an element with aria-live. */
  constructor(region) {
    this.#region = region;
  }

  /** `what`: asked or ended; `words()` gives the sentence when it is said, so that it is the newest. */
  say(what, words) {
    this.#coming[what].push(words);
    this.#timer ||= setTimeout(() => this.#tell(), Math.max(GATHER, this.#next - performance.now()));
  }

  #tell() {
    const coming = Object.entries(this.#coming);
    const said = coming.flatMap(([what, all]) =>
      all.length > MOST ? [COUNTED[what](all.length)] : all.map((words) => words()),
    );
    this.#region.replaceChildren(...said.map((words) => element("p", {}, words)));
    [this.#coming, this.#timer, this.#next] = [{ asked: [], ended: [] }, 0, performance.now() + PAUSE];
  }
}
