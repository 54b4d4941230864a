/**
 * Moves that are tried from a position: forwards, back, and on again. Pure.
 *
 * @typedef {object} Trying
 * @property {PositionItem[]} positions  the first one, and each after a move
 * @property {string[]} notations  of the moves between them
 * @property {number} at  which of the positions is looked at
 */

/** @import { Hint, PositionItem } from "../types/wire.js" */

import { expected } from "./analysis.js";

const DECIDED = 1000; // a value from here on is a win

/**
 * @param {PositionItem} position
 * @returns {Trying}
 */
export function from(position) {
  return { positions: [position], notations: [], at: 0 };
}

/**
 * After a move in the position that is looked at; what was tried there before is forgotten.
 *
 * @param {Trying} trying
 * @param {PositionItem} position
 * @param {string} notation
 * @returns {Trying}
 */
export function tried({ positions, notations, at }, position, notation) {
  return { positions: [...positions.slice(0, at + 1), position], notations: [...notations.slice(0, at), notation], at: at + 1 };
}

/**
 * Look at another one of the positions.
 *
 * @param {Trying} trying
 * @param {number} at
 * @returns {Trying}
 */
export function lookAt(trying, at) {
  const within = Math.max(0, Math.min(trying.positions.length - 1, at));
  return within === trying.at ? trying : { ...trying, at: within };
}

/**
 * The share of the points that the first seat may expect; null where nothing is known. The best move's value is the
 * position's.
 *
 * @param {Pick<Hint, "best">|null} hint
 * @param {PositionItem} position
 */
export function firstsShare(hint, { to_move: mover, over }) {
  if (over) return over.scores[0] ?? null;
  const value = hint?.best?.[0]?.value;
  if (value === undefined || mover === null) return null;
  const share = Math.abs(value) >= DECIDED ? (value > 0 ? 1 : 0) : expected(value);
  return mover === 0 ? share : 1 - share;
}

/**
 * A value in words, for the side to move: "+1.5", "wins", "loses".
 *
 * @param {number} value
 */
export function worth(value) {
  if (value >= DECIDED) return "wins";
  if (value <= -DECIDED) return "loses";
  const size = Math.abs(value).toFixed(2);
  return Number(size) === 0 ? "even" : `${value > 0 ? "+" : "−"}${size}`;
}
