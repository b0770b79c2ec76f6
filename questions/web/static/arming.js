// A button that does nothing until it has been in its place for a moment: a stray Enter or click approves nothing.

const DELAY = 500; // milliseconds

export class Arming {
  #buttons;
  #timer = 0;
  #isOff = false;

  constructor(buttons) {
    this.#buttons = buttons;
    for (const button of buttons) {
      // A key that is held down from before would press again and again, until it is let.
      button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
    }
    this.again();
  }

  /** Whether a press counts now. */
  get isArmed() {
    return this.#timer === 0 && !this.#isOff;
  }

  /** Begin anew: something has moved. */
  again() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#show();
    }, DELAY);
    this.#show();
  }

  /** Switch off, or on again. Off or on, the buttons keep the focus. */
  turn(isOn) {
    this.#isOff = !isOn;
    this.#show();
  }

  #show() {
    for (const button of this.#buttons) {
      button.setAttribute("aria-disabled", String(!this.isArmed));
      button.classList.toggle("arming", this.#timer !== 0 && !this.#isOff);
    }
  }
}
