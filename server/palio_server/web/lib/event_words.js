/** What people read of an event: its stage, how far it is, its tie-breaks and rules in words. */

/** @import { TournamentItem } from "../types/wire.js" */

import { capital, plain } from "./codes.js";
import { plural } from "./words.js";

/** @type {Record<string, string>} */
const STAGES = { open: "open for entries", running: "running", paused: "paused", finished: "finished", cancelled: "cancelled" };

/** @param {string} stage */
export function stageWord(stage) {
  return STAGES[stage] ?? plain(stage);
}

/**
 * How far it is: "12 of 56 games finished, 4 being played, 1 broken off".
 *
 * @param {Pick<TournamentItem, "total"|"finished"|"running"|"aborted">} event
 */
export function progressWords({ total, finished, running, aborted }) {
  const all = plural(Math.max(total, finished), "game");
  const words = [total > finished ? `${finished} of ${all} finished` : `${all} finished`, running && `${running} being played`, aborted && `${aborted} broken off`];
  return words.filter(Boolean).join(", ");
}

/**
 * Where it stands: "round 5 of 7", "round 3"; "" before the first.
 *
 * @param {Pick<TournamentItem, "round"|"rounds">} event
 */
export function roundWords({ round, rounds }) {
  if (!round) return rounds ? plural(rounds, "round") : "";
  return rounds ? `round ${round} of ${rounds}` : `round ${round}`;
}

/**
 * How long it will take, roughly: "less than a minute", "about 13 min", "about 2 h 10 min".
 *
 * @param {number} seconds
 */
export function about(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `about ${minutes} min`;
  const rest = Math.round((minutes % 60) / 10) * 10;
  const hours = Math.floor(minutes / 60) + (rest === 60 ? 1 : 0);
  return rest % 60 ? `about ${hours} h ${rest} min` : `about ${hours} h`;
}

/**
 * How long it has taken: "42 s", "13 min", "2 h 10 min".
 *
 * @param {number} seconds
 */
export function lasted(seconds) {
  if (seconds < 1) return "less than 1 s";
  return seconds < 100 ? `${Math.round(seconds)} s` : about(seconds).replace("about ", "");
}

/**
 * How fast: "3.1 games/s"; below one a second by the minute.
 *
 * @param {number} perSecond
 */
export function speed(perSecond) {
  return perSecond >= 1 ? `${perSecond.toFixed(1)} games/s` : `${(perSecond * 60).toFixed(1)} games/min`;
}

/**
 * With its sign, which is a real minus.
 *
 * @param {number} value
 * @param {number} [digits]
 */
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** @type {Record<string, [short: string, long: string]>} */
const TIE_BREAKS = {
  points: ["Points", "points"],
  direct_encounter: ["Direct", "the points in games among those who are level"],
  buchholz: ["Buchh.", "Buchholz: the points of all opponents"],
  buchholz_cut_1: ["Buchh. −1", "Buchholz without the lowest opponent"],
  buchholz_cut1: ["Buchh. −1", "Buchholz without the lowest opponent"],
  buchholz_median: ["Median", "Buchholz without the highest and the lowest opponent"],
  median_buchholz: ["Median", "Buchholz without the highest and the lowest opponent"],
  median: ["Median", "Buchholz without the highest and the lowest opponent"],
  sonneborn_berger: ["S-B", "Sonneborn-Berger: the points of those beaten, and half of those held"],
  wins: ["Wins", "the number of wins"],
  black_wins: ["Black wins", "the number of wins with black"],
  wins_with_black: ["Black wins", "the number of wins with black"],
  progressive: ["Progr.", "progressive score: the sum of the points after each round"],
  koya: ["Koya", "Koya: the points against those who made half of all or more"],
};

/**
 * A tie-break's name for the head of a column.
 *
 * @param {string} name
 */
export function tieBreak(name) {
  return TIE_BREAKS[name.replaceAll("-", "_")]?.[0] ?? capital(plain(name));
}

/** @param {string} name */
export function tieBreakInWords(name) {
  return TIE_BREAKS[name.replaceAll("-", "_")]?.[1] ?? plain(name);
}

/**
 * A tie-break's value: whole, or with a half as such, or with two digits.
 *
 * @param {number} value
 */
export function figure(value) {
  if (Number.isInteger(value)) return String(value);
  return Number.isInteger(value * 2) ? `${Math.floor(value) || ""}½` : value.toFixed(2);
}

/** @typedef {[name: string, value: string]} Fact */

/**
 * The rules of an event, one fact a line; what has no words of its own is told by its name.
 *
 * @param {Record<string, unknown>} rules
 * @returns {Fact[]}
 */
export function ruleFacts(rules) {
  return Object.entries(rules).flatMap(([name, value]) => {
    if (value === null || value === "" || isEmpty(value)) return [];
    return [/** @type {Fact} */ ([RULES[name]?.[0] ?? capital(plain(name)), RULES[name]?.[1]?.(value) ?? written(value)])];
  });
}

/** @type {Record<string, [name: string, word?: (value: unknown) => string|undefined]>} */
const RULES = {
  games_per_encounter: ["An encounter", (value) => `${plural(Number(value), "game")}`],
  scoring: ["What counts", (value) => (value === "games" ? "every game" : value === "encounters" ? "an encounter as a whole: won, level or lost" : undefined)],
  tie_breaks: ["Equal points are split by", (value) => (Array.isArray(value) ? value.map((each) => tieBreakInWords(String(each))).join("; then ") : undefined)],
  rounds: ["Rounds"],
  best_of: ["Best of", (value) => plural(Number(value), "encounter")],
  openings: ["Openings", openings],
  by_time: ["Equal costs in a race", (value) => (value ? "the faster bot is ahead" : "share a place")],
  strikes: ["Rejected moves that end a match", (value) => String(value)],
  max_plies: ["Longest match", (value) => plural(Number(value), "ply", "plies")],
  margin_ms: ["Margin on every clock", (value) => `${Number(value)} ms`],
  initial_colour: ["First colour of the first seed"],
  grace_s: ["May stay away", (value) => `${Number(value)} s, then it forfeits`],
  bots: ["What plays", programs],
  concurrency: ["Matches at once"],
};

/**
 * Where games begin, of a choice as `tournament/openings/choice.py` keeps it.
 *
 * @param {unknown} value
 */
function openings(value) {
  if (typeof value !== "object" || value === null) return undefined;
  const { random = 0, shipped = false, file = "", lines = null, order = "sequential", plies = null } = /** @type {Record<string, unknown>} */ (value);
  if (random) return `${plural(Number(random), "random ply", "random plies")}`;
  if (!shipped && !file) return "none: matches begin in the first position";
  const count = Array.isArray(lines) ? `, ${plural(lines.length, "line")}` : "";
  const book = shipped ? "the game's own book" : `the book ${String(file)}${count}`;
  return [book, order === "random" ? "in random order" : "", plies === null ? "" : `${plural(Number(plies), "ply", "plies")} of each`].filter(Boolean).join(", ");
}

/**
 * The programs behind the names, where these are not the same: "ab is alpha_beta:depth=1".
 *
 * @param {unknown} value
 */
function programs(value) {
  if (!Array.isArray(value)) return undefined;
  return value.map((each) => (Array.isArray(each) && each.length === 2 && each[0] !== each[1] ? `${each[0]} is ${each[1]}` : written(Array.isArray(each) ? each[0] : each))).join(", ");
}

/**
 * Whether there is nothing to tell: an empty list, or settings of which none is set.
 *
 * @param {unknown} value
 * @returns {boolean}
 */
function isEmpty(value) {
  return typeof value === "object" && value !== null && Object.values(value).every((each) => each === null || isEmpty(each));
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function written(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "object" && value !== null) return Object.entries(value).map(([name, each]) => `${plain(name)} ${written(each)}`).join(", ");
  return String(value);
}
