/**
 * What people read of races: ranks, costs, how an entrant ended, who has won.
 *
 * @typedef {Result & {finishes: Finish[]}} RaceResult
 */

/** @import { Finish, RaceStanding, Result, SeatOf } from "../types/wire.js" */
/** @import { News } from "./fold.js" */

import { capital, plain, reason } from "./codes.js";
import { places } from "./race.js";

const SHOWN = 3; // entrants named in a sentence; the standings have them all

// Of an entrant that has a solution all the same: time was up, or the bot had nothing better.
/** @type {Record<string, string>} */
const CLOSED = { time: "time is up", resigned: "done" };

/** @type {Record<string, string>} */
const ENDS = {
  illegal: "out: illegal moves",
  time: "out of time",
  disconnected: "lost its connection",
  crashed: "crashed",
  stalled: "stalled",
  resigned: "gave up",
};

/**
 * Whether these are the entrants of a race: each of them sits in the one seat there is.
 *
 * @param {SeatOf[]} seats
 */
export function areEntrants(seats) {
  return seats.every(({ name }) => name === seats[0].name);
}

/**
 * Whether a result is a race's.
 *
 * @param {Result} result
 * @returns {result is RaceResult}
 */
export function isRaced(result) {
  return result.finishes !== undefined;
}

/**
 * "1st", "2nd", "3rd", "11th".
 *
 * @param {number} number
 */
export function ordinal(number) {
  const teen = Math.floor(number / 10) % 10 === 1;
  return `${number}${(!teen && ["th", "st", "nd", "rd"][number % 10]) || "th"}`;
}

/**
 * A cost in as few digits as it needs: "12", "7544.37"; "–" where there is no solution.
 *
 * @param {number|null} [cost]
 */
export function paid(cost) {
  return cost === null || cost === undefined ? "–" : String(Number(cost.toFixed(2)));
}

/**
 * How an entrant's race ended: by its live.RaceStanding, and better once its Finish is known.
 *
 * @param {{end: string|null, cost: number|null}} standing
 * @param {Finish} [finish]
 */
export function ending({ end, cost }, finish) {
  if (!finish) return end === null ? "" : (ENDS[end] ?? reason(end));
  const { termination, reason: code } = finish;
  if (termination === "rule" || termination === "adjudicated") return reason(code);
  if (cost !== null && CLOSED[termination]) return `${plain(code)}, ${CLOSED[termination]}`;
  const why = reason(code);
  return [ENDS[termination] ?? plain(termination), ...(code === termination || code === "resigned" ? [] : [why])].join(": ");
}

/**
 * Who has won a race: "ann wins", "ann and bob share the win", "Solved", "No solution".
 *
 * @param {RaceResult} result
 * @param {SeatOf[]} seats
 */
export function raceVerdict(result, seats) {
  const { finishes } = result;
  if (result.termination === "adjudicated") return "Stopped";
  const first = places(standings(finishes), result).filter(({ rank }) => rank === 1);
  if (!first.length) return "No solution";
  if (finishes.length === 1) return capital(plain(finishes[0].reason));
  const bots = first.map(({ seat }) => seats[seat].bot);
  if (bots.length === 1) return `${bots[0]} wins`;
  return bots.length > SHOWN ? `${bots.length} share the win` : `${list(bots)} share the win`;
}

/**
 * The first of a race with what they paid: "1st ann 12, 2nd bob 14, cid without a solution, and 3 more".
 *
 * @param {RaceResult} result
 * @param {SeatOf[]} seats
 */
export function podium(result, seats) {
  const placed = places(standings(result.finishes), result);
  const ranks = placed.slice(0, SHOWN).map(({ seat, rank, cost }) => {
    const { bot } = seats[seat];
    if (rank === null) return `${bot} without a solution`;
    return placed.length === 1 ? `${bot} ${paid(cost)}` : `${ordinal(rank)} ${bot} ${paid(cost)}`;
  });
  if (placed.length > SHOWN) ranks.push(`and ${placed.length - SHOWN} more`);
  const stopped = result.termination === "adjudicated" ? [reason(result.reason)] : [];
  return [...stopped, ...ranks].join(", ");
}

/**
 * What a screen reader says of a ply of a race; "" where nothing is decided by it.
 *
 * @param {News} news
 * @param {SeatOf[]} seats
 */
export function raceNews({ kind, seat, cost, text }, seats) {
  const bot = seats[seat ?? 0]?.bot;
  if (kind === "ahead") return `${bot} is ahead with ${paid(cost)}`;
  if (kind === "ended") return `${bot} has ended: ${reason(text ?? "")}, ${cost === null ? "no solution" : paid(cost)}`;
  return "";
}

/**
 * @param {Finish[]} finishes
 * @returns {RaceStanding[]}
 */
function standings(finishes) {
  return finishes.map(({ cost, reason: end }) => ({ cost, plies: 0, end }));
}

/** @param {string[]} words */
function list(words) {
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
