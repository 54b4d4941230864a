/** The keys of a match that is watched or replayed, as chess sites have them. */

/** @import { Step } from "./replay.js" */

/** @typedef {"play"|"faster"|"slower"|"flip"|"copy"|"try"} Command */
/** @typedef {{key: string, altKey?: boolean, ctrlKey?: boolean, metaKey?: boolean, shiftKey?: boolean}} Pressed */

/** @type {Record<string, Step>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "live" };

/** @type {Record<string, Command>} */
const COMMANDS = { " ": "play", "+": "faster", "=": "faster", "-": "slower", f: "flip", c: "copy", t: "try" };

const TYPING = "input, select, textarea, [contenteditable]"; // these use the keys themselves
const PRESSED = "button, a, summary"; // and these the space bar

/**
 * What a key asks for; null: none of our keys.
 *
 * @param {Pressed} pressed
 * @param {{closest: (selector: string) => unknown}|null} target  where the focus is
 * @returns {{step: Step}|{command: Command}|null}
 */
export function keyed({ key, altKey, ctrlKey, metaKey, shiftKey }, target) {
  if (altKey || ctrlKey || metaKey || (shiftKey && key !== "+")) return null;
  if (target?.closest(TYPING)) return null;
  if (Object.hasOwn(STEPS, key)) return { step: STEPS[key] };
  if (!Object.hasOwn(COMMANDS, key) || (key === " " && target?.closest(PRESSED))) return null;
  return { command: COMMANDS[key] };
}
