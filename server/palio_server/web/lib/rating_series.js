/**
 * A bot's rating over time, as the chart wants it: columns of numbers, from a day on.
 *
 * @typedef {{times: number[], ratings: number[], lows: number[], highs: number[]}} Series  times in seconds
 * @typedef {{at: number, words: string}} Change  another program, and when it came, in seconds
 */

/** @import { Build, HistoryPoint } from "../types/wire.js" */

import { day } from "./when.js";

export const SPANS = [["30 days", 30], ["90 days", 90], ["all", 0]];
const DAY_MS = 86_400_000;

/**
 * The points of the last `days`, and the last one before them, so that the line begins at the edge; 0: all points.
 *
 * @param {HistoryPoint[]} points
 * @param {number} days
 * @param {number} now
 */
export function within(points, days, now) {
  if (!days) return points;
  const first = points.findIndex(({ at }) => Date.parse(at) >= now - days * DAY_MS);
  if (first < 0) return points.slice(-1);
  return points.slice(Math.max(0, first - 1));
}

/**
 * @param {HistoryPoint[]} points
 * @returns {Series}
 */
export function series(points) {
  return {
    times: points.map(({ at }) => Date.parse(at) / 1000),
    ratings: points.map(({ rating }) => rating),
    lows: points.map(({ rating, error }) => rating - error),
    highs: points.map(({ rating, error }) => rating + error),
  };
}

/**
 * The programs that came after the first point, with the words that tell them from the one before.
 *
 * @param {Build[]} builds
 * @param {HistoryPoint[]} points
 * @returns {Change[]}
 */
export function changes(builds, points) {
  if (!points.length) return [];
  const [first, last] = [Date.parse(points[0].at), Date.parse(points[points.length - 1].at)];
  return builds.flatMap(({ build, since }) => {
    const at = Date.parse(since);
    return at > first && at <= last ? [{ at: at / 1000, words: shortBuild(build) }] : [];
  });
}

/**
 * "mine.py:depth=3 1f0c88ab, palio 1.0.0" without what all builds have in common.
 *
 * @param {string} build
 */
export function shortBuild(build) {
  const own = build.replace(/, palio \S+$/, "");
  return own.length > 24 ? `${own.slice(0, 23)}…` : own;
}

/**
 * Where the scale of ratings begins and ends: what the band needs, but no point that nobody knows anything of blows it up.
 *
 * @param {Series} of
 * @returns {[number, number]}
 */
export function range({ ratings, lows, highs }) {
  const [low, high] = [Math.min(...ratings), Math.max(...ratings)];
  const room = Math.max(60, (high - low) * 0.75);
  return [Math.max(Math.min(...lows), low - room), Math.min(Math.max(...highs), high + room)];
}

/**
 * Days at the foot, and hours where two of them are the same day; what stands before it already is left out.
 *
 * @param {number[]} splits  in seconds
 */
export function labels(splits) {
  const days = splits.map((at) => day(at * 1000));
  const hours = splits.map((at) => new Date(at * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }));
  return splits.map((_, i) => (i === 0 || days[i] !== days[i - 1] ? days[i] : hours[i] === hours[i - 1] ? "" : hours[i]));
}
