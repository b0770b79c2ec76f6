// What this visit is about: the token and the sessions, taken from the fragment of the address.

import { Kept } from "./kept.js";

/** `#token=...&session=s1&session=s2`. The token leaves the address at once, and stays for as long as the tab does. */
export class Visit {
  #kept = new Kept("sessionStorage", "questions.token");

  constructor() {
    this.token = this.#kept.value;
    this.read();
  }

  /** Take what the address says now. */
  read() {
    const given = new URLSearchParams(location.hash.slice(1));
    this.token = given.get("token") || this.token;
    this.sessions = [...new Set(given.getAll("session").filter(Boolean))];
    if (given.has("token")) this.#keep();
  }

  /** Go on with another token; `session`: one more to view, if it is not empty. */
  enter(token, session) {
    this.token = token;
    if (session && !this.sessions.includes(session)) this.sessions.push(session);
    this.#keep();
  }

  /** Forget the token. */
  leave() {
    this.token = null;
    this.#kept.value = null;
  }

  #keep() {
    this.#kept.value = this.token;
    const kept = new URLSearchParams(this.sessions.map((name) => ["session", name])).toString();
    history.replaceState(null, "", location.pathname + location.search + (kept && `#${kept}`));
  }
}
