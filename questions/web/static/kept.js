// A word that the browser keeps for this page, if it keeps anything at all: some are told not to.

export class Kept {
  #store;
  #key;

  /** `store`: "sessionStorage", for as long as the tab lives, or "localStorage". */
  constructor(store, key) {
    [this.#store, this.#key] = [store, key];
  }

  /** What was kept; null if nothing was. */
  get value() {
    return this.#try((store) => store.getItem(this.#key));
  }

  /** null: keep it no more. */
  set value(text) {
    this.#try((store) => (text === null ? store.removeItem(this.#key) : store.setItem(this.#key, text)));
  }

  #try(act) {
    try {
      return act(globalThis[this.#store]) ?? null;
    } catch {
      return null; // then it is forgotten with the page
    }
  }
}
