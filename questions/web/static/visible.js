// Text that people can trust: what would be invisible, or would reorder what they read, is made visible.
// The same rule as `questions.visible`; both are held against tests/data/visible.json.

const BIDI = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const C0_C1 = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f";
const SURROGATES = "\\ud800-\\udfff"; // with the flag "u" only those that stand alone
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2028\\u2029" +
  "\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0" +
  "\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";

const ESCAPED = new RegExp(`[${C0_C1}${BIDI}${SURROGATES}${INVISIBLE}]`, "gu");
const RUNS = new RegExp(`[${C0_C1}${BIDI}${SURROGATES}${INVISIBLE}]+`, "gu");

function escaped(character) {
  const code = character.codePointAt(0);
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** The text with every character escaped that is not seen or changes what is seen around it. */
export function visible(text) {
  return text.replace(ESCAPED, escaped);
}

/** The same in parts, `[text, isEscaped]`, so that an escape can be told from a text that looks like one. */
export function* visibleParts(text) {
  let end = 0;
  for (const run of text.matchAll(RUNS)) {
    if (run.index > end) yield [text.slice(end, run.index), false];
    yield [visible(run[0]), true];
    end = run.index + run[0].length;
  }
  if (end < text.length) yield [text.slice(end), false];
}
