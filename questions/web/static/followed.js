// One readable of the server that is followed, and how far it has been told.

/** Whoever is told gets the newest value, and never half of one that comes in pieces. */
export class Followed {
  wire = 0;
  epoch = "";
  revision = -1;
  /** The revision of `value`. */
  told = -1;
  /** Mappings are Maps, all else is as it came; undefined until something has come. */
  value = undefined;
  #coming = undefined;
  #reasons = {};
  #clock = null;

  /** `listener`: an object with any of `changed({put, drop})`, `unavailable(why)`, `ended(error)`. */
  constructor(held, readable, listener, acknowledges) {
    this.held = held;
    this.readable = readable;
    this.listener = listener;
    this.acknowledges = acknowledges;
  }

  /** The host's clock, epoch seconds, at `now` of the local one, which never jumps; null before anything has come. */
  hostTime(now) {
    return this.#clock && this.#clock.host + (now - this.#clock.here);
  }

  /** Start from nothing: the next thing that comes is all of it. */
  forget() {
    [this.epoch, this.revision] = ["", -1];
  }

  snapshot(message, now) {
    [this.epoch, this.revision] = [message.epoch, message.revision];
    const isMapping = typeof message.value === "object" && message.value !== null && !Array.isArray(message.value);
    this.#coming = isMapping ? new Map(Object.entries(message.value)) : message.value;
    this.#reasons = {};
    this.#arrived(message, now);
  }

  /** Returns whether it fits on what has come before. */
  difference(message, now) {
    const base = this.#coming ?? this.value;
    if (message.base !== this.revision || !(base instanceof Map)) return false;
    this.#coming = new Map(base);
    for (const id of Object.keys(message.drop)) this.#coming.delete(id);
    for (const [id, value] of Object.entries(message.put)) this.#coming.set(id, value);
    this.#reasons = message.drop;
    this.revision = message.revision;
    this.#arrived(message, now);
    return true;
  }

  #arrived(message, now) {
    this.#clock = { host: message.now, here: now };
    if (this.revision === -1) return; // a piece, and more are coming
    const [before, after] = [this.value, this.#coming];
    [this.value, this.#coming, this.told] = [after, undefined, this.revision];
    this.listener.changed?.(this.#between(before, after));
  }

  /** What is new or has changed, and what has gone and why, as far as it is known. */
  #between(before, after) {
    if (!(after instanceof Map)) return { put: new Map(), drop: new Map() };
    const old = before instanceof Map ? before : new Map();
    const gone = [...old.keys()].filter((id) => !after.has(id));
    return {
      put: new Map([...after].filter(([id, value]) => old.get(id) !== value)),
      drop: new Map(gone.map((id) => [id, this.#reasons[id] ?? ""])),
    };
  }
}
