/**
 * What a bot made of a round, for a cell of the standings: the result, and against whom.
 *
 * @typedef {"ahead"|"level"|"behind"|"bye"|"open"|"none"} Kind
 * @typedef {{text: string, aside: string, title: string, kind: Kind}} CellWords
 */

/** @import { RoundCell, StandingItem } from "../types/wire.js" */

import { points } from "./words.js";

/** @type {Record<string, string>} */
const BYES = { "pairing-bye": "bye", "half-bye": "half-point bye", "full-bye": "full-point bye", absent: "absent" };

const TABLE = 2; // opponents at the largest table

/** @type {Record<string, string>} */
const WORDS = { ahead: "won", level: "level", behind: "lost" };

/**
 * @typedef {StandingItem & {place: number}} Placed  `place`: of the line itself; those who are level share a rank, never a place
 *
 * Lines by bot, to look opponents up in.
 *
 * @param {StandingItem[]} standings
 * @returns {Map<string, Placed>}
 */
export function byBot(standings) {
  return new Map(standings.map((line, index) => [line.bot, { ...line, place: index + 1 }]));
}

/**
 * @param {RoundCell|undefined} cell
 * @param {Map<string, Placed>} lines
 * @param {string[]} [seats]  what the game calls its first and second seat, which a pairing system calls white and black
 * @returns {CellWords}
 */
export function cellWords(cell, lines, seats = ["white", "black"]) {
  if (!cell) return { text: "", aside: "", title: "", kind: "none" };
  if (BYES[cell.how]) return bye(cell);
  const { round, how, points: made, opponents } = cell;
  const colour = cell.colour && (seats[cell.colour === "white" ? 0 : 1] ?? cell.colour);
  const places = opponents.length > TABLE ? "" : opponents.map((bot) => lines.get(bot)?.place ?? "?").join(" "); // in a larger race everybody has met everybody
  const against = opponents.join(" and ");
  const seat = colour ? ` with ${colour}` : "";
  const aside = `${colour.slice(0, 1)}${places}`;
  if (made === null) return { text: "·", aside, title: `round ${round}: not over yet${seat} against ${against}`, kind: "open" };
  const kind = compare(cell, lines);
  const forfeit = how === "forfeit";
  const text = forfeit ? `${points(made)}${kind === "ahead" ? "+" : "−"}` : points(made);
  return { text, aside, title: `round ${round}: ${WORDS[kind]}${forfeit ? " by forfeit" : ""}${seat} against ${against}, ${points(made)}`, kind };
}

/**
 * @param {RoundCell} cell
 * @returns {CellWords}
 */
function bye({ round, how, points: made }) {
  const worth = made === null ? "" : points(made);
  return { text: worth, aside: how === "absent" ? "out" : "bye", title: `round ${round}: ${BYES[how]}, ${worth || "0"} ${made !== null && made > 0 && made <= 1 ? "point" : "points"}`, kind: "bye" };
}

/**
 * Whether more was made than by those who were met, in the mean. What a round is worth differs: games, encounters, tables.
 *
 * @param {RoundCell} cell
 * @param {Map<string, StandingItem>} lines
 * @returns {"ahead"|"level"|"behind"}
 */
function compare({ round, points: made, opponents, colour }, lines) {
  const theirs = opponents.flatMap((bot) => made_of(lines.get(bot), round) ?? []);
  const own = made ?? 0;
  const par = theirs.length ? theirs.reduce((sum, each) => sum + each, 0) / theirs.length : colour ? 1 - own : 0.5;
  if (Math.abs(own - par) < 1e-9) return "level";
  return own > par ? "ahead" : "behind";
}

/**
 * @param {StandingItem|undefined} line
 * @param {number} round
 */
function made_of(line, round) {
  return line?.rounds.find((each) => each.round === round)?.points ?? null;
}

/**
 * The rounds that standings have a column for: those that are known to come, or have come; none if they are too many.
 *
 * @param {{round: number, rounds: number|null, standings: StandingItem[]}} event
 * @param {number} most
 * @returns {number[]}
 */
export function roundsShown({ round, rounds, standings }, most) {
  if (!standings.some((line) => line.rounds.length)) return [];
  const last = Math.max(round, rounds ?? 0);
  return last > most ? [] : Array.from({ length: last }, (_, index) => index + 1);
}
