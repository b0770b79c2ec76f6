// The end of a link that asks, as a machine: what it holds, calls and follows, over one connection after another.
// No socket and no clock in here: frames and times (seconds that never jump) go in, frames to send are left behind.

import { LinkLost, Refused } from "./errors.js";
import { Followed } from "./followed.js";
import { decode, encode } from "./messages.js";

const ACK_EVERY = 0.5; // seconds: acknowledgements say what has been shown, and need not be many
const PING_EVERY = 10;
const AGAIN_AFTER = 1;

/** An object of the server. `listener`: `got({face, principal})`, `refused(error)`. */
class Held {
  wire = 0;
  constructor(kind, input, listener) {
    Object.assign(this, { kind, input, listener });
  }
}

/** A call under way. */
class Made {
  wire = 0;
  constructor(held, resolve, reject) {
    Object.assign(this, { held, resolve, reject });
  }
}

export class Session {
  /** away, greeting, open, or refused: the server does not want this one, and it is not tried again. */
  state = "away";
  /** Whom the token stands for, once the server has said so. */
  principal = null;
  /** Why the server has ended the last connection, if it has said so: a `Refused`. */
  goodbye = null;

  #chance;
  #last = 0;
  #received = 0;
  #sent = 0;
  #out = [];
  #held = new Set();
  #made = new Set();
  #followed = new Set();
  #items = new Map();
  #again = new Map();
  #acks = new Set();
  #ackDue = 0;
  #pings = new Map();
  #pingDue = 0;

  constructor(chance = Math.random) {
    this.#chance = chance;
  }

  // --- connections ---

  /** There is a connection; say who this is. */
  dialled(token) {
    this.goodbye = null;
    this.#begin("greeting");
    this.#say({ type: "hello", token });
  }

  /** It was refused, and may be tried again: with another token. */
  again() {
    if (this.state === "refused") [this.state, this.goodbye] = ["away", null];
  }

  /**
   * The connection is gone. Calls under way fail with `LinkLost`, and are never repeated by themselves; for what is
   * followed there is no news, and no other reason than that.
   */
  lost() {
    const lost = [...this.#made];
    this.#begin(this.state === "refused" ? "refused" : "away");
    this.#made.clear();
    for (const made of lost) made.reject(new LinkLost());
    for (const followed of this.#followed) followed.listener.unavailable?.("");
  }

  #begin(state) {
    this.state = state;
    this.#last = this.#received = this.#sent = 0;
    this.#out = [];
    for (const item of this.#items.values()) item.wire = 0;
    for (const kept of [this.#items, this.#again, this.#acks, this.#pings]) kept.clear();
  }

  #resume(now) {
    for (const held of this.#held) this.#sendGet(held);
    for (const followed of this.#followed) this.#sendWatch(followed);
    this.#pingDue = now + PING_EVERY;
  }

  // --- asking ---

  /** Hold an object; while there is no connection, from the next one on. */
  get(kind, input, listener = {}) {
    const held = new Held(kind, input, listener);
    this.#held.add(held);
    if (this.state === "open") this.#sendGet(held);
    return held;
  }

  /** Call a method. The promise fails with `Refused` or `LinkLost`. */
  call(held, method, args) {
    return new Promise((resolve, reject) => {
      if (this.state !== "open" || !this.#items.has(held.wire)) return reject(new LinkLost());
      const made = new Made(held, resolve, reject);
      const id = this.#number(made);
      this.#made.add(made);
      this.#say({ type: "call", id, object: held.wire, method, args });
    });
  }

  /** Follow a readable. `acknowledges`: `shown` is called for it. */
  follow(held, readable, listener, acknowledges = false) {
    const followed = new Followed(held, readable, listener, acknowledges);
    this.#followed.add(followed);
    if (this.state === "open") this.#sendWatch(followed);
    return followed;
  }

  /** Hold an object, and what is followed of it, no more. */
  release(held) {
    if (this.state === "open" && this.#items.get(held.wire) === held) this.#say({ type: "release", object: held.wire });
    this.#drop(held);
  }

  /** The frames to send now. */
  takeOut() {
    const out = this.#out;
    this.#out = [];
    this.#sent += out.length;
    return out;
  }

  #say(message) {
    this.#out.push(encode(message));
  }

  #number(item) {
    this.#items.delete(item.wire);
    item.wire = ++this.#last;
    this.#items.set(item.wire, item);
    return item.wire;
  }

  #sendGet(held) {
    this.#say({ type: "get", id: this.#number(held), kind: held.kind, input: held.input });
  }

  #sendWatch(followed) {
    const { held, readable, epoch, revision } = followed;
    const id = this.#number(followed);
    this.#say({ type: "watch", id, object: held.wire, readable, epoch, revision });
  }

  #over(item) {
    this.#items.delete(item.wire);
    for (const kept of [this.#again, this.#made, this.#followed, this.#acks]) kept.delete(item);
  }

  #drop(held) {
    this.#held.delete(held);
    this.#over(held);
    for (const followed of [...this.#followed].filter((one) => one.held === held)) this.#over(followed);
  }

  // --- what comes in ---

  /** Take a frame. Raises `InvalidMessage` for one that is none: this connection is not to be trusted. */
  receive(frame, now) {
    const message = decode(frame);
    this.#received += 1;
    if (message !== null) this.#steps[message.type]?.(message, now);
  }

  #steps = {
    welcome: (message, now) => {
      if (this.state !== "greeting") return;
      this.state = "open";
      this.principal = message.principal;
      this.#resume(now);
    },
    goodbye: (message) => {
      this.goodbye = new Refused(message);
      if (!message.retryable) this.state = "refused";
    },
    got: (message) => this.#item(message, Held)?.listener.got?.(message),
    returned: (message) => this.#end(message, (made) => made.resolve(message.value)),
    cancelled: (message) => this.#end(message, (made) => made.reject(new LinkLost())),
    refused: (message, now) => this.#refused(this.#items.get(message.id), new Refused(message), now),
    snapshot: (message, now) => this.#item(message, Followed)?.snapshot(message, now),
    difference: (message, now) => {
      const followed = this.#item(message, Followed);
      if (followed && !followed.difference(message, now)) this.#startOver(followed);
    },
    unavailable: (message) => this.#item(message, Followed)?.listener.unavailable?.(message.why),
    ended: (message) => {
      const followed = this.#item(message, Followed);
      if (!followed) return;
      this.#over(followed);
      followed.listener.ended?.(new Refused({ code: "ended", message: message.why }));
    },
    pong: (message) => {
      const sent = this.#pings.get(message.id);
      this.#pings.delete(message.id);
      if (sent !== undefined && (sent !== message.received || this.#received - 1 !== message.sent)) {
        this.isBroken = true; // something was lost on the way
      }
    },
  };

  /** Whether the connection has lost something, or answers no more: close it and dial again. */
  isBroken = false;

  #item(message, kind) {
    const item = this.#items.get(message.id);
    return item instanceof kind ? item : undefined;
  }

  #end(message, how) {
    const made = this.#item(message, Made);
    if (!made) return;
    this.#over(made);
    how(made);
  }

  #refused(item, error, now) {
    if (item instanceof Made) {
      this.#over(item);
      item.reject(error);
    } else if (item instanceof Held) {
      this.#refusedGet(item, error, now);
    } else if (item instanceof Followed && !this.#again.has(item.held)) {
      this.#over(item); // else it comes with its object
      item.listener.ended?.(error);
    }
  }

  #refusedGet(held, error, now) {
    const followed = [...this.#followed].filter((one) => one.held === held);
    if (error.retryable) {
      this.#again.set(held, now + AGAIN_AFTER * (0.5 + 0.5 * this.#chance()));
      for (const one of followed) one.listener.unavailable?.(error.message);
      return;
    }
    this.#drop(held);
    held.listener.refused?.(error);
    for (const one of followed) one.listener.ended?.(error);
  }

  /** Something is missing in between: everything anew. */
  #startOver(followed) {
    this.#say({ type: "unwatch", id: followed.wire });
    followed.forget();
    this.#sendWatch(followed);
  }

  // --- what is due ---

  /** The person has been shown what was told of a readable: acknowledge it, at most twice a second. */
  shown(followed, now) {
    if (!followed.acknowledges || followed.told < 0) return;
    this.#acks.add(followed);
    if (now >= this.#ackDue) this.#sendAcks(now);
  }

  #sendAcks(now) {
    if (this.state !== "open") return;
    for (const followed of this.#acks) {
      if (this.#items.has(followed.wire)) this.#say({ type: "ack", id: followed.wire, revision: followed.told });
    }
    this.#acks.clear();
    this.#ackDue = now + ACK_EVERY;
  }

  /** When to call `tick`; Infinity: never, as things are. */
  due() {
    if (this.state !== "open") return Infinity;
    const ping = this.#made.size || this.#followed.size ? this.#pingDue : Infinity;
    return Math.min(this.#acks.size ? this.#ackDue : Infinity, ping, ...this.#again.values());
  }

  /** Send what is due. */
  tick(now) {
    if (this.state !== "open") return;
    if (this.#acks.size && now >= this.#ackDue) this.#sendAcks(now);
    if (now >= this.#pingDue) this.#ping(now);
    for (const [held] of [...this.#again].filter(([, at]) => at <= now)) {
      this.#again.delete(held);
      this.#sendGet(held);
      for (const followed of this.#followed) if (followed.held === held) this.#sendWatch(followed);
    }
  }

  #ping(now) {
    if (this.#pings.size) this.isBroken = true; // the last one has not been answered: pages see no websocket pings
    const sent = this.#sent + this.#out.length;
    this.#pings.set(++this.#last, sent);
    this.#say({ type: "ping", id: this.#last, sent });
    this.#pingDue = now + PING_EVERY;
  }
}
