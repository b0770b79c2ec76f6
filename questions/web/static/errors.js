// What can go wrong with something that was asked of a server.

/** The server refuses it. `code` stays the same for ever; see the table of refusals in docs/wire.md. */
export class Refused extends Error {
  constructor({ code, message, data = null, retryable = false }) {
    super(message);
    this.code = code;
    this.data = data;
    this.retryable = retryable;
  }
}

/** The connection went away, or there is none. Whether what was asked has been done is not known. */
export class LinkLost extends Error {
  constructor() {
    super("the connection was lost");
    this.code = "link_lost";
    this.retryable = true;
  }
}
