/**
 * Whose tours are drawn faintly below the one that is followed.
 *
 * @typedef {{seat: number, path: [number, number][]}} Ghost
 */

/** @import { View } from "../types/wire.js" */
/** @import { Place } from "./race.js" */

const MOST = 4; // more would be a mesh; then only the best of the others is drawn
const CITIES = 150; // in tours of more even a few are a mesh, and so is one that is far longer
const FAR = 2; // times the cost of the tour on top

/**
 * @param {Place[]} standings
 * @param {View[]} boards  of each entrant
 * @param {number} shown  the entrant whose tour is followed
 * @returns {Ghost[]}  worst first, so that the best one is on top
 */
export function ghosts(standings, boards, shown) {
  const most = FAR * (standings.find(({ seat }) => seat === shown)?.cost ?? Infinity);
  const others = standings
    .filter(({ seat }) => seat !== shown)
    .map(({ seat, cost }) => ({ seat, cost, path: boards[seat]?.scene?.path ?? [] }))
    .filter(({ path }) => path.length);
  const dense = others.some(({ path }) => path.length > CITIES);
  const clear = dense ? others.filter(({ cost }) => (cost ?? 0) <= most) : others;
  return clear
    .slice(0, dense || clear.length > MOST ? 1 : MOST)
    .reverse()
    .map(({ seat, path }) => ({ seat, path }));
}
