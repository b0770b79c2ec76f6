// A link to a server of questions, for any page: docs/howto/write-your-own-page.md.
//
//     import { openLink } from "./client.js";
//     const link = openLink({ token });
//     const viewer = link.questions({ session: "s1" });
//     viewer.addEventListener("open", () => show([...viewer.open.values()]));
//     await viewer.answer(id, true);
//
// It comes back by itself after it was lost, and with it everything that is viewed.

import { Backoff } from "./backoff.js";
import { Decisions } from "./decisions.js";
import { LinkLost, Refused } from "./errors.js";
import { Gates } from "./gates.js";
import { SUBPROTOCOL } from "./messages.js";
import { Session } from "./session.js";
import { Viewer } from "./viewer.js";
import { visible } from "./visible.js";

export { LinkLost, Refused, visible };

const GREETING = 15; // seconds that a server has to say welcome

/** Seconds by a clock that does not jump. */
const clock = () => performance.now() / 1000;

/** Where this page came from, as something to dial. */
function here() {
  const url = new URL("./", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  [url.hash, url.search] = ["", ""];
  return url.href;
}

/** Whether a person can see this page now; what is not a page is always seen. */
const isSeen = () => typeof document === "undefined" || document.visibilityState === "visible";

/**
 * The way to the questions of a server. Made by `openLink`, usable until `close()`.
 * It sends the event `state` whenever `state` changes.
 */
export class Link extends EventTarget {
  /** connecting, connected, lost (it is tried again), refused (it is not; `error` says why) or closed. */
  state = "connecting";
  /** Why it is refused, or lost if the server has said so: a `Refused`. */
  error = null;

  #url;
  #token;
  #session;
  #backoff;
  #socket = null;
  #timer = 0;
  #redial = 0;
  #unshown = new Set();
  #listening = new AbortController();

  constructor({ token, url = here(), chance = Math.random }) {
    super();
    this.#url = url;
    this.#token = token;
    this.#session = new Session(chance);
    this.#backoff = new Backoff(chance);
    const options = { signal: this.#listening.signal };
    globalThis.document?.addEventListener("visibilitychange", () => this.#seen(), options);
    globalThis.addEventListener?.("online", () => this.#hurry(), options);
    this.#dial();
  }

  /** Whom the token stands for, `{kind, id, name}`; null until the server has said so. */
  get principal() {
    return this.#session.principal;
  }

  /** A view of a scope: `{session: "s1"}` or `{owner: {kind, id}}`. Lives until its `release()`. */
  questions(scope) {
    const viewer = new Viewer(this.#session, scope, clock, () => this.#push(), (followed) => this.#toShow(followed));
    this.#push();
    return viewer;
  }

  /** A view of the decisions of the server's store, if it serves any. Lives until its `release()`. */
  decisions() {
    const decisions = new Decisions(this.#session, clock, () => this.#push());
    this.#push();
    return decisions;
  }

  /** A view of the requests of workflows that this person may answer, if the server serves any. Until `release()`. */
  gates() {
    const gates = new Gates(this.#session, clock, () => this.#push());
    this.#push();
    return gates;
  }

  /** Dial again after it was refused, for a `token` that is a function and gives another one now. */
  again() {
    if (this.state !== "refused") return;
    this.#session.again();
    this.#backoff.reset();
    this.#turn("connecting");
    this.#dial();
  }

  /** End it. Calls under way fail with `LinkLost`. */
  close() {
    this.#listening.abort();
    this.#end();
    this.#turn("closed");
  }

  // --- the connection ---

  async #dial() {
    let token;
    try {
      token = typeof this.#token === "function" ? await this.#token() : this.#token;
    } catch {
      return this.#lost();
    }
    if (this.state === "closed" || this.#socket !== null) return;
    const socket = (this.#socket = new WebSocket(this.#url, SUBPROTOCOL));
    const ours = (act) => (event) => {
      if (this.#socket === socket) act(event);
    };
    socket.onopen = ours(() => {
      this.#session.dialled(token);
      this.#push();
    });
    socket.onmessage = ours((event) => this.#receive(event.data));
    socket.onclose = ours(() => this.#lost());
    this.#timer = setTimeout(ours(() => this.#lost()), GREETING * 1000);
  }

  #receive(frame) {
    try {
      this.#session.receive(frame, clock());
    } catch (error) {
      console.error("a frame could not be handled", error.message);
      return this.#lost();
    }
    if (this.#session.state === "open" && this.state !== "connected") {
      clearTimeout(this.#timer); // the one for the greeting
      this.#backoff.reset();
      this.error = null;
      this.#turn("connected");
    }
    this.#push();
  }

  /** Send what is to be sent, and see when the next thing is due. */
  #push() {
    if (this.#session.isBroken) return this.#lost();
    if (this.#socket?.readyState === 1) for (const frame of this.#session.takeOut()) this.#socket.send(frame);
    const due = this.#session.due();
    if (this.#session.state === "greeting" || due === Infinity) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#session.tick(clock());
      this.#push();
    }, Math.max(0, due - clock()) * 1000);
  }

  #end() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    clearTimeout(this.#redial);
    socket?.close();
    this.#session.isBroken = false;
    this.#session.lost();
  }

  #lost() {
    this.#end();
    this.error = this.#session.goodbye;
    if (this.#session.state === "refused") return this.#turn("refused");
    this.#redial = setTimeout(() => this.#dial(), this.#backoff.pause() * 1000);
    this.#turn("lost");
  }

  /** There may be a way again: do not wait. */
  #hurry() {
    if (this.state !== "lost" || this.#socket !== null) return;
    clearTimeout(this.#redial);
    this.#backoff.reset();
    this.#dial();
  }

  #turn(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  // --- what has been shown ---

  /** Something new was told. Q-POL-5: it counts as seen once it has been painted on a page that can be seen. */
  #toShow(followed) {
    this.#unshown.add(followed);
    (globalThis.requestAnimationFrame ?? setTimeout)(() => this.#shown());
  }

  #shown() {
    if (!isSeen()) return;
    for (const followed of this.#unshown) this.#session.shown(followed, clock());
    this.#unshown.clear();
    this.#push();
  }

  #seen() {
    this.#shown();
    if (isSeen()) this.#hurry();
  }
}

/**
 * Open a link. `token`: as issued for a person, or a function (it may be async) that gives a fresh one at each
 * connection; it is sent in the first frame and stands in no URL. `url`: where to dial, `ws://` or `wss://`; the server
 * that this page came from unless said otherwise, and otherwise that server has to allow this page's origin.
 */
export function openLink(options) {
  return new Link(options);
}
