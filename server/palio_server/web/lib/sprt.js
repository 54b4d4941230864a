/**
 * The arithmetic of a sequential test's pictures.
 *
 * @typedef {{x: (games: number) => number, y: (llr: number) => number, path: string, last: LlrPoint, games: number[]}} Graph
 * @typedef {{left: number, right: number, top: number, bottom: number}} Plot
 */

/** @import { LlrPoint, SprtState } from "../types/wire.js" */

import { ticks } from "./chart.js";

const ROOM = 1.22; // how far beyond its bounds the ratio is drawn

/**
 * The ratio over the games, between its bounds; a line that has left them is drawn as far as it went.
 *
 * @param {Pick<SprtState, "points"|"lower"|"upper"|"llr"|"wins"|"draws"|"losses">} test
 * @param {Plot} plot
 * @param {number} [count]  about so many numbers at the axis
 * @returns {Graph}
 */
export function graph(test, { left, right, top, bottom }, count = 4) {
  const last = { games: played(test), llr: test.llr };
  const points = [{ games: 0, llr: 0 }, ...test.points.filter(({ games }) => games > 0 && games < last.games), ...(last.games ? [last] : [])];
  const most = Math.max(10, last.games);
  const reach = points.map(({ llr }) => llr);
  const [low, high] = [Math.min(test.lower * ROOM, ...reach), Math.max(test.upper * ROOM, ...reach)];
  const x = (/** @type {number} */ games) => round(left + ((right - left) * games) / most);
  const y = (/** @type {number} */ llr) => round(bottom - ((bottom - top) * (llr - low)) / (high - low));
  return { x, y, last, path: points.map(({ games, llr }, index) => `${index ? "L" : "M"}${x(games)} ${y(llr)}`).join(""), games: ticks({ least: 0, most, log: false }, count) };
}

/** @param {Pick<SprtState, "wins"|"draws"|"losses">} test */
export function played({ wins, draws, losses }) {
  return wins + draws + losses;
}

/**
 * Where the ratio stands between its bounds, as a share: 0 at the lower, 1 at the upper.
 *
 * @param {Pick<SprtState, "llr"|"lower"|"upper">} test
 */
export function between({ llr, lower, upper }) {
  return Math.min(1, Math.max(0, (llr - lower) / (upper - lower)));
}

/**
 * What the test says so far: a word, and the sentence that goes with it.
 *
 * @param {Pick<SprtState, "state"|"llr"|"first"|"second"|"elo0"|"elo1">} test
 * @returns {{word: string, sentence: string, side: "gain"|"none"|"open"}}
 */
export function judgement({ state, llr, first, second, elo0, elo1 }) {
  if (state === "H1") return { word: "Accepted", sentence: `${first} is stronger than ${second}: ${elo1} Elo fit the results better than ${elo0}`, side: "gain" };
  if (state === "H0") return { word: "Rejected", sentence: `${first} is not ${elo1} Elo stronger than ${second}: ${elo0} fit the results better`, side: "none" };
  if (Math.abs(llr) < 0.1) return { word: "Not decided yet", sentence: "leaning to neither side", side: "open" };
  return { word: "Not decided yet", sentence: llr > 0 ? "leaning to yes, it is stronger" : "leaning to no, it is not", side: "open" };
}

/**
 * Bars of one picture, the tallest as high as it may be.
 *
 * @param {number[]} counts
 * @param {number} height
 * @returns {{count: number, height: number}[]}
 */
export function bars(counts, height) {
  const most = Math.max(1, ...counts);
  return counts.map((count) => ({ count, height: round((height * count) / most) }));
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 10) / 10;
}
