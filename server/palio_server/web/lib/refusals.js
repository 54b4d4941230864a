/** Refused moves and last words, made ready for the move list. */

/** @import { RejectedMoveView } from "../types/wire.js" */

const LINES = 8; // of a traceback: its end says what went wrong

/**
 * Which of its seat's refused moves each is, from 1.
 *
 * @param {RejectedMoveView[]} refusals
 * @returns {Map<RejectedMoveView, number>}
 */
export function refusedBefore(refusals) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  return new Map(
    refusals.map((refusal) => {
      const count = (counts.get(refusal.seat) ?? 0) + 1;
      counts.set(refusal.seat, count);
      return [refusal, count];
    }),
  );
}

/**
 * How many a seat may have in all: as the match was set up, else as its referee said; null: nobody knows.
 *
 * @param {Pick<RejectedMoveView, "strikes_left">} refusal
 * @param {number} count  which one it is
 * @param {number|null} strikes
 */
export function strikesOf({ strikes_left: left }, count, strikes) {
  return strikes ?? (left === null || left === undefined ? null : count + left);
}

/**
 * The last lines that a bot wrote, without empty ones.
 *
 * @param {string|null|undefined} detail
 */
export function lastWords(detail) {
  return (detail ?? "").split("\n").map((line) => line.trimEnd()).filter(Boolean).slice(-LINES);
}
