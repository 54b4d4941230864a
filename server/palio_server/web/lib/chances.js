/**
 * What bots tell of their own chances, made ready to be drawn: a line for each seat, from its own point of view.
 *
 * @typedef {{ply: number, score: number}} Told
 * @typedef {object} Chances
 * @property {{seat: number, told: Told[], limit: number}[]} curves  of the seats that tell; `limit` is at the edge
 * @property {number|null} limit  where all share one scale; null: each has its own, as their units differ too much
 */

/** @import { PlyView } from "../types/wire.js" */

const MOST = 0.9; // this share of the scores lies within the limits: engines write a won game as a very large number
const UNLIKE = 20; // times another's scores: these bots do not count in the same units

/**
 * @param {Pick<PlyView, "ply"|"seat"|"info">[]} lines
 * @param {number} seats
 * @returns {Chances}
 */
export function chances(lines, seats) {
  const told = Array.from({ length: seats }, () => /** @type {Told[]} */ ([]));
  for (const { ply, seat, info } of lines) {
    if (Number.isFinite(info?.score)) told[seat]?.push({ ply, score: Number(info?.score) });
  }
  const own = told.map((scores, seat) => ({ seat, told: scores, limit: limitOf(scores) })).filter((curve) => curve.told.length);
  const limits = own.map(({ limit }) => limit);
  if (!own.length || Math.max(...limits) > UNLIKE * Math.min(...limits)) return { curves: own, limit: null };
  const limit = Math.max(...limits);
  return { curves: own.map((curve) => ({ ...curve, limit })), limit };
}

/**
 * A round number, at least 1, within which most of the scores lie.
 *
 * @param {Told[]} scores
 */
function limitOf(scores) {
  const sizes = scores.map(({ score }) => Math.abs(score)).sort((a, b) => a - b);
  const most = Math.max(1, sizes[Math.ceil(MOST * sizes.length) - 1] ?? 1);
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10);
}

/**
 * A score's height, from 0 at the top to 1; beyond the limit it stays at the edge.
 *
 * @param {number} score
 * @param {number} limit
 */
export function height(score, limit) {
  return (1 - Math.max(-1, Math.min(1, score / limit))) / 2;
}

/**
 * The line of a seat as an SVG path in a square of 100 by 100.
 *
 * @param {{told: Told[], limit: number}} curve
 * @param {number} last  the last ply
 */
export function pathOf({ told, limit }, last) {
  const point = (/** @type {Told} */ { ply, score }) => `${round(across(ply, last))} ${round(100 * height(score, limit))}`;
  return told.map((each, index) => `${index ? "L" : "M"}${point(each)}`).join("") + (told.length === 1 ? "h0.01" : "");
}

/**
 * The shares of points that an analysis found, from 0 to 1, as a path in the same square.
 *
 * @param {import("./analysis.js").Point[]} points
 * @param {number} last  the last ply
 */
export function foundPath(points, last) {
  return points.map(({ ply, at: share }, index) => `${index ? "L" : "M"}${round(across(ply, last))} ${round(100 * (1 - share))}`).join("");
}

/**
 * How far to the right a ply stands, in percent.
 *
 * @param {number} ply
 * @param {number} last
 */
export function across(ply, last) {
  return last ? (100 * Math.min(ply, last)) / last : 0;
}

/**
 * The properties that put an element at a place, in percent.
 *
 * @param {Record<string, number>} percent
 */
export function at(percent) {
  return { style: Object.fromEntries(Object.entries(percent).map(([side, share]) => [side, `${share}%`])) };
}

/**
 * What a seat had told last when `ply` was played; null: nothing yet.
 *
 * @param {Told[]} told
 * @param {number} ply
 */
export function toldAt(told, ply) {
  return told.findLast((each) => each.ply <= ply) ?? null;
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 100) / 100;
}
