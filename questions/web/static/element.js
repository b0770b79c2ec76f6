// Making elements. Text becomes text, never markup.

import { visibleParts } from "./visible.js";

/**
 * An element: `element("p", {class: "help"}, "text", other)`. Attributes that are false or null are left out,
 * true ones are empty; those that are functions are listeners.
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** A text of somebody else's, as nodes: escapes are marked, so that they differ from a text that looks like one. */
export function shown(text) {
  const all = document.createDocumentFragment();
  for (const [part, isEscaped] of visibleParts(text)) {
    all.append(isEscaped ? element("span", { class: "escaped", title: "invisible characters" }, part) : part);
  }
  return all;
}
