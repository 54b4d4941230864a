/**
 * A race as its viewers see it: how the entrants stand, and what each one's board shows.
 *
 * @typedef {RaceStanding & {seat: number, rank: number|null}} Place  a standing in its place; no rank without a solution
 */

/** @import { PlyView, RaceStanding, Result, View } from "../types/wire.js" */
/** @import { News } from "./fold.js" */

/**
 * Whether a match, given as its live.Summary, is a race.
 *
 * @param {{kind: string}} summary
 */
export function isRace({ kind }) {
  return kind === "race";
}

/** In place of a move, where an entrant or a seat has left. */
export const OUT = "out";

/** In place of a move, where an anytime race ended without a fault: time was up, or the bot had nothing better. */
export const DONE = "done";

/** In place of a move, where an anytime race's solution does not replace the best one. */
export const NO_BETTER = "no better";

/**
 * Whether a line of the move list is about something else than a move that mattered.
 *
 * @param {string} move
 */
export function isNoMove(move) {
  return move === OUT || move === DONE || move === NO_BETTER;
}

/**
 * The entrants in the order in which they stand, whoever is ahead first; equals share a rank and keep their order.
 *
 * @param {RaceStanding[]} race
 * @param {Result|null} [result]  once it is over: its scores say who was faster at equal costs, where that counts
 * @returns {Place[]}
 */
export function places(race, result) {
  const scored = result?.finishes && result.termination === "rule" ? result.scores : null;
  const paid = (/** @type {number} */ seat) => race[seat].cost ?? Infinity;
  const ahead = (/** @type {number} */ a, /** @type {number} */ b) => (scored ? scored[a] > scored[b] : paid(a) < paid(b));
  const solved = race.map((_, seat) => seat).filter((seat) => race[seat].cost !== null);
  const placed = race.map((standing, seat) => ({
    ...standing,
    seat,
    rank: standing.cost === null ? null : 1 + solved.filter((other) => ahead(other, seat)).length,
  }));
  const order = (/** @type {Place} */ { rank, end, seat }) => [rank ?? Infinity, end === null ? 0 : 1, seat];
  return placed.sort((a, b) => compare(order(a), order(b)));
}

/**
 * What is worth saying of a ply: an entrant has ended its race, is alone ahead now, or just goes on.
 *
 * @param {RaceStanding[]|null} before
 * @param {RaceStanding[]} after
 * @param {number} seat
 * @returns {News}
 */
export function happened(before, after, seat) {
  const { cost, end } = after[seat];
  if (end !== null && before?.[seat].end === null) return { kind: "ended", seat, cost, text: end };
  const first = (/** @type {RaceStanding[]} */ race) => places(race).filter(({ rank }) => rank === 1);
  const leaders = first(after);
  const leads = leaders.length === 1 && leaders[0].seat === seat;
  const led = before ? first(before) : [];
  if (leads && !(led.length === 1 && led[0].seat === seat)) return { kind: "ahead", seat, cost };
  return { kind: "quiet", seat };
}

/**
 * The views of a race by entrant, each list in the order of plies. `views` are by ply, holes allowed.
 *
 * @param {Record<number, View>} views
 * @param {number} entrants
 */
export function boardsByEntrant(views, entrants) {
  const lists = Array.from({ length: entrants }, () => /** @type {View[]} */ ([]));
  for (const view of Object.values(views)) lists[view.seat ?? 0]?.push(view); // integer keys come in ascending order
  return lists;
}

/**
 * The board of each entrant at `ply`: its newest at or before it; one that had not played has the first position.
 *
 * @param {View[][]} lists
 * @param {number} ply
 * @param {View} first
 */
export function boardsAt(lists, ply, first) {
  return lists.map((views, seat) => {
    const found = views.findLast((view) => view.ply <= ply);
    return found ?? { ...first, seat, to_move: seat };
  });
}

/**
 * Best cost over thinking time, by entrant; null if this is no anytime race, whose lines are costs.
 *
 * @param {PlyView[]} lines
 * @param {number} entrants
 * @returns {{ms: number, points: [number, number][]}[]|null}  how long it has thought, and when (ms) it had which cost
 */
export function costs(lines, entrants) {
  const found = Array.from({ length: entrants }, () => ({ ms: 0, points: /** @type {[number, number][]} */ ([]) }));
  for (const { seat, move, ms } of lines) {
    const curve = found[seat];
    curve.ms += ms ?? 0;
    if (isNoMove(move)) continue;
    const cost = Number(move);
    if (!Number.isFinite(cost)) return null;
    curve.points.push([curve.ms, cost]);
  }
  return found.some(({ points }) => points.length) ? found : null;
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
function compare(a, b) {
  const differ = a.findIndex((value, i) => value !== b[i]);
  return differ < 0 ? 0 : a[differ] < b[differ] ? -1 : 1;
}
