/** How a match ended for one of its bots: in words, in order, as shares of a bar. */

/** @import { MatchItem, OutcomeCount } from "../types/wire.js" */

import { ended, plain } from "./codes.js";

/** @typedef {{outcome: string, words: string, games: number, share: number}} Part */

export const FAULTS = ["illegal", "time", "crashed", "stalled", "disconnected", "resigned", "revoked"];

/** @type {Record<string, string>} */
export const OUTCOMES = {
  won: "won",
  drawn: "drawn",
  lost: "lost by the rules",
  played: "played alone",
  adjudicated: "adjudicated",
  time: "lost on time",
  illegal: "illegal moves",
  crashed: "crashed",
  stalled: "stalled",
  disconnected: "disconnected",
  resigned: "resigned",
  revoked: "token revoked",
};

/**
 * The parts of the bar, in a fixed order; what never happened is left out.
 *
 * @param {OutcomeCount[]} counts
 * @returns {Part[]}
 */
export function partsOf(counts) {
  const total = counts.reduce((sum, { games }) => sum + games, 0);
  return Object.entries(OUTCOMES).flatMap(([outcome, words]) => {
    const games = counts.find((count) => count.outcome === outcome)?.games ?? 0;
    return games ? [{ outcome, words, games, share: games / total }] : [];
  });
}

/**
 * Matches that a bot has lost by a fault of its own.
 *
 * @param {OutcomeCount[]} counts
 */
export function faultsOf(counts) {
  return counts.reduce((sum, { outcome, games }) => sum + (FAULTS.includes(outcome) ? games : 0), 0);
}

/**
 * "72.9 %", and never "0.0 %" for what did happen.
 *
 * @param {number} share
 */
export function percent(share) {
  const rounded = (share * 100).toFixed(1);
  return `${rounded === "0.0" && share > 0 ? "< 0.1" : rounded} %`;
}

/**
 * A finished match as `bot` sees it: what it made, whether it was its own fault, and how that came about.
 *
 * @param {MatchItem} match
 * @param {string} bot
 * @returns {{result: "won"|"drawn"|"lost"|"played", fault: boolean, how: string}}
 */
export function seenBy({ bots, scores, termination, reason, detail }, bot) {
  const seat = bots.indexOf(bot);
  const others = (scores ?? []).filter((_, index) => index !== seat);
  const own = scores?.[seat] ?? 0;
  const best = Math.max(...others);
  const result = others.length === 0 ? "played" : own > best ? "won" : own === best ? "drawn" : "lost";
  const broken = FAULTS.includes(termination ?? "");
  const fault = broken && result === "lost" && own < Math.min(...others, Infinity);
  if (!broken) return { result, fault, how: ended(termination, reason, detail) };
  const said = OUTCOMES[termination ?? ""] ?? plain(termination ?? "");
  return { result, fault, how: fault || others.length !== 1 ? said : `opponent ${said.replace("illegal", "made illegal")}` };
}

/**
 * "15 won, 2 drawn, 3 lost of the last 20", for the strip of a bot's form.
 *
 * @param {string[]} form
 */
export function formWords(form) {
  const won = form.filter((outcome) => outcome === "won").length;
  const drawn = form.filter((outcome) => isLevel(outcome)).length;
  const parts = [`${won} won`, ...(drawn ? [`${drawn} drawn`] : []), `${form.length - won - drawn} lost`];
  return `${parts.join(", ")} of the last ${form.length}`;
}

/** @param {string} outcome */
export function isLevel(outcome) {
  return outcome === "drawn" || outcome === "adjudicated" || outcome === "played";
}
