/**
 * Whose tours are drawn faintly below the one that is followed.
 *
 * @typedef {{seat: number, path: [number, number][]}} Ghost
 */

/** @import { View } from "../types/wire.js" */
/** @import { Place } from "./race.js" */

const MOST = 4; // more would be a mesh; then only the best of the others is drawn

/**
 * @param {Place[]} standings
 * @param {View[]} boards  of each entrant
 * @param {number} shown  the entrant whose tour is followed
 * @returns {Ghost[]}  worst first, so that the best one is on top
 */
export function ghosts(standings, boards, shown) {
  const others = standings
    .filter(({ seat }) => seat !== shown)
    .map(({ seat }) => ({ seat, path: boards[seat]?.scene?.path ?? [] }))
    .filter(({ path }) => path.length);
  return others.slice(0, others.length > MOST ? 1 : MOST).reverse();
}
