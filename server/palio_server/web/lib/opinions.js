/**
 * What the bots of a duel think of it, as lines and as a balance. Each tells scores in a unit of its own, so all are bent
 * into -1 to 1: a little is a little, and a proof is at the end.
 *
 * @typedef {{seat: number, path: string, last: number}} Curve  `last`: where the line ends, from 0 (top) to 1
 */

/** @import { PlyView } from "../types/wire.js" */

const SIZE = 100;

/** @param {number} score */
export function bent(score) {
  return score / (2 + Math.abs(score));
}

/**
 * A line for each seat that has told of two plies or more: above the middle where it thinks that it is ahead.
 *
 * @param {PlyView[]} lines
 * @param {number} seats
 * @returns {Curve[]}
 */
export function curves(lines, seats) {
  const last = lines.at(-1)?.ply ?? 0;
  const first = lines.find(({ info }) => info?.score !== undefined)?.ply ?? 0;
  const width = Math.max(1, last - first);
  return Array.from({ length: seats }, (_, seat) => {
    const points = lines.flatMap(({ ply, seat: own, info }) => {
      if (own !== seat || info?.score === undefined) return [];
      return [{ x: round((SIZE * (ply - first)) / width), y: round((SIZE * (1 - bent(info.score))) / 2) }];
    });
    return { seat, path: points.map(({ x, y }, i) => `${i ? "L" : "M"}${x} ${y}`).join(""), last: (points.at(-1)?.y ?? 0) / SIZE, told: points.length };
  })
    .filter(({ told }) => told > 1)
    .map(({ seat, path, last: end }) => ({ seat, path, last: end }));
}

/**
 * What each seat has told last at a ply; null: nothing yet.
 *
 * @param {PlyView[]} lines
 * @param {number} seats
 * @param {number} ply
 */
export function newestTold(lines, seats, ply) {
  return Array.from({ length: seats }, (_, seat) => lines.findLast((line) => line.ply <= ply && line.seat === seat && line.info?.score !== undefined)?.info?.score ?? null);
}

/**
 * How much of the game is the first seat's, from 0 to 1, as the two bots think on average; null where nobody says.
 *
 * @param {(number|null)[]} told  by seat, from its own view
 */
export function balance(told) {
  const views = [told[0] ?? null, told[1] === null || told[1] === undefined ? null : -told[1]].filter((score) => score !== null);
  if (!views.length) return null;
  return round(0.5 + views.reduce((sum, score) => sum + bent(score), 0) / views.length / 2);
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 1000) / 1000;
}
