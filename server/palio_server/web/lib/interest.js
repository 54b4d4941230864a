/**
 * How interesting a match is, and why, in a sentence.
 *
 * Bots tell their scores in units of their own; so only what holds in any unit is looked at: who it is that is ahead,
 * whether that has changed, and scores so high that they mean a proof.
 *
 * @typedef {object} Place  where a match stands in its event
 * @property {number} round
 * @property {number} board
 * @property {boolean} [leader]  whether somebody who leads the event plays
 *
 * @typedef {object} Known  what is known besides the matches
 * @property {Map<string, Place>} places  by match
 * @property {Record<string, Record<string, number>>} ratings  by leaderboard, by bot
 *
 * @typedef {{weight: number, words: string}} Reason
 */

/** @import { Entry } from "./wall_feed.js" */

import { leaderboardOf } from "./words.js";

/** From here on a score is a proof: half of what `palio_clients.search` calls a win, far above any evaluation. */
export const PROOF = 500_000;

const CLOSE = 40; // points of rating
const SWING = 0.5; // of `squashed` scores, which lie between -1 and 1

/** @type {Known} */
export const NOTHING = { places: new Map(), ratings: {} };

/**
 * What speaks for a match, the most weighty first.
 *
 * @param {Entry} entry
 * @param {Known} known
 * @returns {Reason[]}
 */
export function reasons(entry, known) {
  return [...standing(entry, known), ...scores(entry), ...rated(entry, known)].sort((a, b) => b.weight - a.weight);
}

/**
 * A number to compare matches by; the sum of what speaks for one.
 *
 * @param {Entry} entry
 * @param {Known} known
 */
export function interest(entry, known) {
  const { seats } = entry.summary;
  const ratings = seats.map(({ bot }) => known.ratings[leaderboardOf(entry.summary)]?.[bot]).filter((rating) => rating !== undefined);
  const strength = ratings.length ? Math.max(...ratings) / 100_000 : 0; // of equals, the stronger
  return reasons(entry, known).reduce((sum, { weight }) => sum + weight, strength);
}

/**
 * Why this one, in a sentence of at most two reasons.
 *
 * @param {Entry} entry
 * @param {Known} known
 * @param {number} others  how many could have been shown instead
 */
export function why(entry, known, others) {
  const found = reasons(entry, known)
    .slice(0, 2)
    .map(({ words }) => words);
  if (found.length) return `Shown because ${found.join(", and ")}.`;
  return others ? "Shown because it has been played longest." : "Shown because it is the only match.";
}

/**
 * @param {Entry} entry
 * @param {Known} known
 * @returns {Reason[]}
 */
function standing({ summary }, { places }) {
  const place = places.get(summary.match);
  if (!place) return [];
  const top = place.board === 1 ? [{ weight: 3, words: "it is the round’s top board" }] : [];
  return place.leader ? [...top, { weight: 1.5, words: "the leader plays" }] : top;
}

/**
 * @param {Entry} entry
 * @returns {Reason[]}
 */
function scores({ summary, told }) {
  const found = [];
  const newest = told.map((own) => own.at(-1));
  const bot = (/** @type {number} */ seat) => summary.seats[seat]?.bot ?? "a bot";
  const proven = newest.findIndex((score) => score !== undefined && score >= PROOF);
  if (proven >= 0) found.push({ weight: 2.5, words: `${bot(proven)} has proven a win` });
  const turned = told.findIndex((own) => swing(own) > SWING);
  if (turned >= 0 && proven < 0) {
    const better = (newest[turned] ?? 0) > 0;
    found.push({ weight: 2, words: better ? `the match turns for ${bot(turned)}` : `${bot(turned)} was ahead and no longer is` });
  }
  if (newest.length === 2 && newest.every((score) => score !== undefined && squashed(score) > 0.2)) {
    found.push({ weight: 1.5, words: "the bots disagree: each thinks that it is ahead" });
  } else if (newest.length === 2 && newest.every((score) => score !== undefined && squashed(score) < -0.2)) {
    found.push({ weight: 1, words: "the bots disagree: each thinks that it is behind" });
  }
  return found;
}

/**
 * @param {Entry} entry
 * @param {Known} known
 * @returns {Reason[]}
 */
function rated({ summary }, { ratings }) {
  const { seats } = summary;
  const found = seats.map(({ bot }) => ratings[leaderboardOf(summary)]?.[bot]);
  if (seats.length < 2 || found.some((rating) => rating === undefined)) return [];
  const apart = Math.round(Math.max(...found) - Math.min(...found));
  if (apart > CLOSE) return [];
  const words = apart === 0 ? "their ratings are equal" : `their ratings are ${apart} ${apart === 1 ? "point" : "points"} apart`;
  return [{ weight: 1.2 * (1 - apart / (2 * CLOSE)), words }];
}

/**
 * How far a bot's view has gone to the other side: 0 if it has not.
 *
 * @param {number[]} own
 */
function swing(own) {
  const newest = own.at(-1);
  if (newest === undefined) return 0;
  const other = own.filter((score) => Math.sign(score) === -Math.sign(newest)).map((score) => Math.abs(squashed(score) - squashed(newest)));
  return Math.max(0, ...other);
}

/** @param {number} score */
function squashed(score) {
  return score / (2 + Math.abs(score));
}
