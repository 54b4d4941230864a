/**
 * The keys that all views have: `/` searches, `g` and then a letter goes to a view, `?` lists them (`key_list.js`).
 *
 * @typedef {{search: true} | {go: string} | {waits: true} | null} Meant
 */

/** @type {Record<string, string>} */
export const LETTERS = { l: "lobby", p: "play", t: "tournaments", r: "results", e: "leaderboards", g: "games", b: "bots" };

const WAIT_MS = 1500; // for the letter after g

/** Remembers a `g`, and says what each key means. */
export class Shortcuts {
  constructor() {
    this.began = -Infinity;
  }

  /**
   * What `key`, pressed at `now`, means; null if it is not one of our shortcuts.
   *
   * @param {string} key
   * @param {number} now  milliseconds
   * @returns {Meant}
   */
  press(key, now) {
    const second = now - this.began < WAIT_MS;
    this.began = -Infinity;
    if (second && Object.hasOwn(LETTERS, key)) return { go: LETTERS[key] };
    if (key === "/") return { search: true };
    if (key !== "g") return null;
    this.began = now;
    return { waits: true };
  }
}

/**
 * Whether a key pressed in an element of this kind is a letter that is being written.
 *
 * @param {{tagName?: string, type?: string, isContentEditable?: boolean}|null} target
 */
export function isWriting(target) {
  if (!target) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") return true;
  return target.tagName === "INPUT" && !["button", "checkbox", "radio", "range", "submit"].includes(target.type ?? "text");
}
