/**
 * The keys of whoever plays, the same as in the terminal and in the courses' handouts.
 *
 * @typedef {{does: "random"|"back"|"hint"|"quit"|"flip"} | {does: "best", depth: number}} Act
 */

/** @type {Record<string, "random"|"back"|"hint"|"quit"|"flip">} */
const ACTS = { r: "random", z: "back", "?": "hint", q: "quit", f: "flip" };

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

/** @param {unknown} target */
function isField(target) {
  const { tagName = "", isContentEditable = false } = /** @type {{tagName?: string, isContentEditable?: boolean}} */ (target ?? {});
  return isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);
}
