/**
 * What was found out about a finished match, made ready to be drawn. For what it means see `docs/explanation/analysis.md`.
 *
 * @typedef {{ply: number, at: number, sure: boolean}} Point  `sure`: proven
 */

/** @import { Analysis, JudgedPly } from "../types/wire.js" */

const LEVEL = 2; // units of evaluation that make three wins out of four likely
const SHARE = { win: 1, draw: 0.5, loss: 0 };

/**
 * The share of points, from 0 to 1, to be expected at this evaluation.
 *
 * @param {number} value
 */
export function expected(value) {
  return (1 + value / (LEVEL + Math.abs(value))) / 2;
}

/**
 * The lines to draw. In a race one for each entrant, `at` is how many moves remain; else the share of points that a seat
 * may expect: in a duel the first one's is enough.
 *
 * @param {JudgedPly[]} plies
 * @param {number} seats
 * @param {boolean} race
 * @returns {{seat: number, points: Point[]}[]}  without those of which nothing is known
 */
export function curves(plies, seats, race) {
  const drawn = race ? seats : seats === 2 ? 1 : seats;
  const found = Array.from({ length: drawn }, (_, seat) => ({ seat, points: /** @type {Point[]} */ ([]) }));
  for (const judged of plies) {
    for (const { seat, points } of found) {
      if (race && judged.ply > 0 && judged.seat !== seat) continue;
      const at = race ? judged.distance : share(judged, seat);
      if (at !== null) points.push({ ply: judged.ply, at, sure: Boolean(judged.verdicts[race ? 0 : seat]) });
    }
  }
  return found.filter(({ points }) => points.length > 1);
}

/**
 * The share of points that the first seat may expect at a ply; null where the analysis does not know.
 *
 * @param {Analysis|null} analysis
 * @param {number} ply
 */
export function shareAt(analysis, ply) {
  const judged = analysis?.plies.find((each) => each.ply === ply);
  return judged ? share(judged, 0) : null;
}

/**
 * @param {JudgedPly} judged
 * @param {number} seat
 */
function share({ values, verdicts }, seat) {
  const [verdict, value] = [verdicts[seat] ?? null, values[seat] ?? null];
  if (verdict !== null) return SHARE[verdict];
  return value === null ? null : expected(value);
}

/**
 * The stretches in which the result is proven: from ply to ply, and for whom, null for a draw.
 *
 * @param {JudgedPly[]} plies
 * @returns {{first: number, last: number, seat: number|null}[]}
 */
export function provenStretches(plies) {
  /** @type {{first: number, last: number, seat: number|null}[]} */
  const found = [];
  for (const { ply, verdicts } of plies) {
    const won = verdicts.indexOf("win");
    if (won < 0 && !verdicts.includes("draw")) continue;
    const seat = won < 0 ? null : won;
    const before = found.at(-1);
    if (before && before.last === ply - 1 && before.seat === seat) before.last = ply;
    else found.push({ first: ply, last: ply, seat });
  }
  return found;
}

/**
 * The plies that have a mark, by their numbers.
 *
 * @param {Analysis|null} analysis
 */
export function marked(analysis) {
  return new Map((analysis?.plies ?? []).filter(({ mark }) => mark).map((judged) => [judged.ply, judged]));
}

/**
 * Why a ply has its mark, in a sentence.
 *
 * @param {JudgedPly} judged
 * @param {boolean} race
 */
export function whyMarked({ mark, best, verdicts, seat }, race) {
  const instead = best ? `; ${best} was better` : "";
  if (race) return `${mark === "??" ? "cannot be solved any more" : "wastes a move"}${instead}`;
  const now = { loss: "loses by force", draw: "gives a win away for a draw", win: null }[verdicts[seat] ?? "win"];
  if (mark === "??") return `${now ?? "gives the result away"}${instead}`;
  return `${now ?? "loses much"}${instead}`;
}
