/** What the first move is worth, in words. */

/** @import { FirstMoveItem } from "../types/wire.js" */

const WIDEST_SHOWN = 200; // Elo; a wider error says nothing: `ratings/bradley_terry.py` has the same

/**
 * "To move first is worth +35 ± 20 Elo."; "" while that is too uncertain to mean anything.
 *
 * @param {FirstMoveItem|null} first
 */
export function firstMoveWorth(first) {
  if (first === null || first.error > WIDEST_SHOWN) return "";
  const sign = first.elo < 0 ? "−" : "+";
  return `To move first is worth ${sign}${Math.abs(first.elo).toFixed(0)} ± ${first.error.toFixed(0)} Elo.`;
}
