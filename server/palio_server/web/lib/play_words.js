/** What a person who plays is told: whose turn it is, how it ended, how much time is left. */

/** @import { Result, SeatOf } from "../types/wire.js" */

import { capital, plain, reason } from "./codes.js";
import { cause } from "./words.js";

const SPOKEN_MS = [30_000, 10_000]; // what is left when a clock speaks
const PASS = /^pass\b/i; // how a pass is written, with dead stones or without

/**
 * How it ended for the one in `seat`: "You win", "You lose", "Draw".
 *
 * @param {Result} result
 * @param {number} seat
 * @param {boolean} race
 */
export function outcome(result, seat, race) {
  if (result.reason === "aborted") return "Broken off";
  if (race) return raceOutcome(result, seat);
  const best = Math.max(...result.scores);
  if (result.scores.every((score) => score === best)) return "Draw";
  if (result.scores[seat] < best) return "You lose";
  return result.scores.filter((score) => score === best).length > 1 ? "You share the win" : "You win";
}

/**
 * Why, with "you" in the place of one's own name.
 *
 * @param {Result} result
 * @param {SeatOf[]} seats
 * @param {number} seat
 */
export function why(result, seats, seat) {
  const you = seats.map((each, index) => (index === seat ? { ...each, bot: "you" } : each));
  if (result.termination === "resigned" && result.seat === seat) return "you gave up";
  const alone = result.finishes?.length === 1 ? result.finishes[0] : null;
  if (alone && alone.cost !== null) return `your cost is ${alone.cost}`;
  return cause(result, you);
}

/**
 * @param {Result} result
 * @param {number} seat
 */
function raceOutcome({ finishes, scores, termination, reason: code }, seat) {
  const own = finishes?.[seat];
  if (!own) return termination === "rule" ? capital(reason(code)) : "Over";
  if (own.cost === null) return own.termination === "resigned" ? "You gave up" : "Not solved";
  if (scores.length > 1 && Math.max(...scores) === scores[seat]) return "You are first";
  return "Solved";
}

/**
 * What is said while there is no connection: the server's sentence where it has refused one, and when it is tried again.
 *
 * @param {string} refusal  the server's sentence; "" if the connection was lost
 * @param {number} waitMs
 */
export function lost(refusal, waitMs) {
  const seconds = Math.ceil(waitMs / 1000);
  if (!refusal) return "Connection lost, trying again";
  const sentence = capital(refusal.replace(/; try again in \d+ s$/, ""));
  return seconds > 0 ? `${sentence}. Trying again in ${seconds} s.` : `${sentence}. Trying again.`;
}

/**
 * Whose turn it is, in a sentence.
 *
 * @param {SeatOf[]} seats
 * @param {number|null} toMove
 * @param {number} seat
 */
export function whose(seats, toMove, seat) {
  if (toMove === null) return "";
  return toMove === seat ? "Your turn." : `${capital(seats[toMove]?.bot ?? "the other")} is to move.`;
}

/**
 * Who has passed since the one in `seat` has moved: "White passed." A pass leaves nothing on the board that says so.
 *
 * @param {{seat: number, move: string}[]} lines  the moves so far
 * @param {SeatOf[]} seats
 * @param {number} seat
 */
export function passes(lines, seats, seat) {
  const own = lines.findLastIndex((line) => line.seat === seat);
  const passed = lines.slice(own + 1).filter(({ move }) => PASS.test(move));
  return passed.map((line) => `${capital(seats[line.seat]?.bot ?? "the other")} passed.`).join(" ");
}

/**
 * What a clock says when it goes from `before` to `now` milliseconds; "" mostly.
 *
 * @param {number|null} before
 * @param {number|null} now
 */
export function spoken(before, now) {
  if (before === null || now === null) return "";
  const passed = SPOKEN_MS.filter((limit) => before > limit && now <= limit && now > 0);
  return passed.length ? `${Math.min(...passed) / 1000} seconds left` : "";
}

/**
 * Who the bots of the house and guests are, as people read them: "house-hill_climbing.2" is hill climbing.
 *
 * @param {string} bot
 */
export function person(bot) {
  return bot.startsWith("house-") ? plain(bot.slice("house-".length).replace(/\.\d+$/, "")) : bot;
}
