// The messages of the protocol facets.v1 (docs/wire.md), as far as a client that is no worker needs them.
// The table says the fields of each: how it is checked, and its default; without one the field is required.

export const SUBPROTOCOL = "facets.v1";

const text = (value) => typeof value === "string";
const number = (value) => Number.isFinite(value);
const whole = (value) => Number.isSafeInteger(value);
const flag = (value) => typeof value === "boolean";
const list = (value) => Array.isArray(value);
const mapping = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const anything = (value) => value !== undefined;
const named = (value) => mapping(value) && text(value.kind) && text(value.id) && text(value.name);

const FIELDS = {
  hello: { token: [text], serves: [list, []], nonce: [text, ""] },
  get: { id: [whole], kind: [text], input: [anything, null] },
  call: { id: [whole], object: [whole], method: [text], args: [mapping, {}] },
  cancel: { id: [whole] },
  watch: { id: [whole], object: [whole], readable: [text], epoch: [text, ""], revision: [whole, -1] },
  unwatch: { id: [whole] },
  release: { object: [whole], lost: [flag, false] },
  ack: { id: [whole], revision: [whole] },
  ping: { id: [whole], sent: [whole, 0] },
  welcome: { epoch: [text], principal: [named], now: [number], proof: [text, ""] },
  got: { id: [whole], face: [text], principal: [named], now: [number] },
  returned: { id: [whole], value: [anything, null] },
  refused: { id: [whole], code: [text], message: [text], data: [anything, null], retryable: [flag, false] },
  cancelled: { id: [whole] },
  snapshot: { id: [whole], epoch: [text], revision: [whole], value: [anything], now: [number] },
  difference: {
    id: [whole],
    base: [whole],
    revision: [whole],
    now: [number],
    put: [mapping, {}],
    drop: [mapping, {}],
  },
  unavailable: { id: [whole], why: [text] },
  ended: { id: [whole], why: [text] },
  pong: { id: [whole], received: [whole, 0], sent: [whole, 0] },
  goodbye: { code: [text], message: [text], retryable: [flag, false] },
};

/** A frame that is no message. Says which field, and never quotes the frame: an answer may be in it. */
export class InvalidMessage extends Error {}

function checked(message) {
  const fields = Object.hasOwn(FIELDS, message.type) ? FIELDS[message.type] : null;
  if (fields === null) throw new InvalidMessage(`$.type: no message of ${SUBPROTOCOL}`);
  const full = { type: message.type };
  for (const [name, [fits, preset]] of Object.entries(fields)) {
    const value = Object.hasOwn(message, name) ? message[name] : structuredClone(preset);
    if (!fits(value)) throw new InvalidMessage(`$.${name}: missing, or of the wrong type`);
    full[name] = value;
  }
  return full;
}

/** The text of a message, such as `{type: "cancel", id: 5}`. Fields that have their default are left out. */
export function encode(message) {
  const full = checked(message);
  for (const [name, [, preset]] of Object.entries(FIELDS[full.type])) {
    if (preset !== undefined && JSON.stringify(full[name]) === JSON.stringify(preset)) delete full[name];
  }
  return JSON.stringify(full);
}

/** The message of a frame, with every field; null for one of a type that is not known and so to be ignored. */
export function decode(frame) {
  let message;
  try {
    message = JSON.parse(frame);
  } catch {
    throw new InvalidMessage("$: not JSON");
  }
  if (!mapping(message) || !text(message.type)) throw new InvalidMessage("$: no object with a type");
  return Object.hasOwn(FIELDS, message.type) ? checked(message) : null;
}
