// Buttons that do nothing until they have been in their place for a moment: what was meant for something else that was
// there before, a stray Enter, the second half of a double click, answers nothing.

/** Milliseconds for which they do. */
export const DELAY = 500;
const NEAR = 8; // pixels: nearer than this is the same place

const whole = document.documentElement;
let height = whole.scrollHeight;
let at = scrollY;
let travelled = 0; // pixels that people have scrolled; a page that shrinks at its end slides by itself

function follow() {
  if (whole.scrollHeight === height) travelled += scrollY - at;
  [height, at] = [whole.scrollHeight, scrollY];
}
addEventListener("scroll", follow, { passive: true });

/** Where an element is in the window, but for what its person has scrolled. */
function placeOf(element) {
  follow();
  const { left, top } = element.getBoundingClientRect();
  return [left, top + travelled];
}

export class Arming {
  #buttons;
  #place = [0, 0];
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
  counts() {
    this.moved(); // it may have moved, and nothing has been painted since
    return this.#timer === 0 && !this.#isOff;
  }

  /** Begin anew if the buttons are elsewhere than they were: something on the page has come, gone or grown. */
  moved() {
    if (this.#hasMoved()) this.again();
  }

  /** The same for many: first all are looked at, then some are changed, or the page would be laid out for each. */
  static moved(armings) {
    for (const arming of armings.filter((one) => one.#hasMoved())) arming.again();
  }

  /** Whether they have since this was asked last. */
  #hasMoved() {
    const [now, before] = [placeOf(this.#buttons[0]), this.#place];
    if (Math.hypot(now[0] - before[0], now[1] - before[1]) < NEAR) return false;
    this.#place = now;
    return true;
  }

  /** Begin anew. */
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
    const isArming = this.#timer !== 0;
    const isDisabled = String(isArming || this.#isOff);
    for (const button of this.#buttons) {
      if (button.ariaDisabled !== isDisabled) button.ariaDisabled = isDisabled; // only a change is to be told of
      button.classList.toggle("arming", isArming && !this.#isOff);
    }
  }
}
