/**
 * The keys of whoever plays, as in the terminal: there, too, `?` lists them.
 *
 * @typedef {{does: "random"|"back"|"hint"|"quit"|"flip"|"draw"} | {does: "best", depth: number}} Act
 */

/** @type {Record<string, "random"|"back"|"hint"|"quit"|"flip"|"draw">} */
export const ACTS = { h: "hint", z: "back", r: "random", f: "flip", d: "draw", q: "quit" };

/**
 * What a key does; null for all others, with a modifier, and where somebody types.
 *
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, target?: unknown}} event
 * @returns {Act|null}
 */
export function actOf({ key, ctrlKey, metaKey, altKey, target }) {
  if (ctrlKey || metaKey || altKey || isField(target)) return null;
  if (/^[1-9]$/.test(key)) return { does: "best", depth: Number(key) };
  const does = ACTS[key.toLowerCase()];
  return does ? { does } : null;
}

/**
 * Whether a key passes, where passing is a move that one chooses.
 *
 * @param {{key: string, repeat?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, target?: unknown}} event
 */
export function isPass({ key, repeat, ctrlKey, metaKey, altKey, target }) {
  return key.toLowerCase() === "p" && !repeat && !ctrlKey && !metaKey && !altKey && !isField(target);
}

/** @param {unknown} target */
function isField(target) {
  const { tagName = "", isContentEditable = false } = /** @type {{tagName?: string, isContentEditable?: boolean}} */ (target ?? {});
  return isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);
}
