/** What people read: names, results and reasons in words. Codes come from the rules; here they become sentences. */

/** @import { Result, SeatOf } from "../types/wire.js" */
/** @import { News } from "./fold.js" */

import { AGREEMENT, capital, plain, reason } from "./codes.js";
import { OUT } from "./race.js";
import { areEntrants, isRaced, podium, raceNews, raceVerdict } from "./race_words.js";

export { capital, plain } from "./codes.js";
export { when as ago } from "./when.js";

/** @type {Record<string, string>} */
const FAULTS = {
  illegal: "forfeits by illegal moves",
  time: "loses on time",
  disconnected: "lost its connection",
  crashed: "crashed",
  stalled: "stalled",
  resigned: "resigns",
};

/**
 * The game of a leaderboard, whose name may have settings: `go:size=19`.
 *
 * @param {string} leaderboard
 */
export function gameOf(leaderboard) {
  return leaderboard.split(":", 1)[0] ?? "";
}

/**
 * The leaderboard that a match counts for.
 *
 * @param {{game: string, leaderboard?: string}} summary
 */
export function leaderboardOf({ game, leaderboard }) {
  return leaderboard ?? game;
}

/**
 * A seat and its bot: "white (greedy)"; of a race the bot alone.
 *
 * @param {SeatOf[]} seats
 * @param {number} index
 */
export function seatName(seats, index) {
  const seat = seats[index];
  if (!seat) return `seat ${index + 1}`;
  return areEntrants(seats) ? seat.bot : `${seat.name} (${seat.bot})`;
}

/**
 * The seats with the highest score; all of them where everybody has the same.
 *
 * @param {Result} result
 */
export function winners(result) {
  const best = Math.max(...result.scores);
  return result.scores.flatMap((own, seat) => (own === best ? [seat] : []));
}

/**
 * Who won: "greedy wins", "Draw", "Solved". A bot's name keeps its own case.
 *
 * @param {Result} result
 * @param {SeatOf[]} seats
 */
export function verdict(result, seats) {
  if (result.reason === "aborted") return "Broken off";
  if (isRaced(result)) return raceVerdict(result, seats);
  if (seats.length === 1) return capital(plain(result.reason));
  if (areEntrants(seats)) return "No race";
  const best = winners(result);
  if (best.length === 1) return `${seats[best[0]].bot} wins`;
  return best.length === seats.length ? "Draw" : `${best.map((seat) => seats[seat].bot).join(" and ")} share the win`;
}

/**
 * Why: "reached far row", "white (greedy) loses on time: the flag fell". The kinds of termination stay apart.
 *
 * @param {Result} result
 * @param {SeatOf[]} seats
 */
export function cause(result, seats) {
  if (result.reason === "aborted") return result.detail || "no result";
  if (isRaced(result)) return podium(result, seats);
  const { termination, seat } = result;
  const told = ruleDetail(result);
  if (told) return told;
  if (termination === "rule") return `by rule: ${reason(result.reason)}`;
  if (result.reason === AGREEMENT) return reason(AGREEMENT);
  if (termination === "adjudicated") return `adjudicated: ${reason(result.reason)}`;
  const who = seat === null || seat === undefined ? "a bot" : seatName(seats, seat);
  const fault = `${who} ${FAULTS[termination] ?? plain(termination)}`;
  const why = result.reason === "resigned" || result.reason === termination ? "" : `: ${reason(result.reason)}`;
  return fault + why;
}

/**
 * What the rules say of a duel beyond its scores: "Black wins by 3.5 points"; "" if they say no more.
 *
 * @param {Result} result
 */
export function ruleDetail(result) {
  const { termination, scores, finishes, detail } = result;
  return termination === "rule" && scores.length === 2 && !finishes ? (detail ?? "") : ""; // otherwise it has faults
}

/**
 * One sentence for a result.
 *
 * @param {Result} result
 * @param {SeatOf[]} seats
 */
export function resultSentence(result, seats) {
  return `${verdict(result, seats)}, ${cause(result, seats)}`;
}

/**
 * Scores as people write them: "1 – 0", "½ – ½".
 *
 * @param {number[]} scores
 */
export function score(scores) {
  return scores.map(points).join(" – ");
}

/** @type {[number, string][]} */
const SHARES = [[1 / 2, "½"], [1 / 3, "⅓"], [2 / 3, "⅔"], [1 / 6, "⅙"], [5 / 6, "⅚"]]; // of two seats, and of three

/** @param {number} number */
export function points(number) {
  const whole = Math.floor(number);
  const rest = number - whole;
  if (rest === 0) return String(whole);
  const share = SHARES.find(([value]) => Math.abs(rest - value) < 1e-9);
  return share ? `${whole || ""}${share[1]}` : number.toFixed(2);
}

/**
 * What a screen reader says of the newest thing that happened; "" where nothing needs saying.
 *
 * @param {News} news
 * @param {{seats: SeatOf[], result: Result|null}} summary
 */
export function announce(news, { seats, result }) {
  if (news.kind === "finished" && result) return resultSentence(result, seats);
  const who = news.seat === undefined ? "" : seatName(seats, news.seat);
  if (news.kind === "played") return news.text === OUT ? `${who} is out` : `${who} plays ${news.text}`;
  if (news.kind === "rejected") return `${who}: move rejected, ${news.text}`;
  if (news.kind === "absent") return `${who} has lost its connection`;
  if (news.kind === "back") return `${who} is back`;
  if (news.kind === "ahead" || news.kind === "ended") return raceNews(news, seats);
  if (news.kind === "went-back") return wentBack(news.ply ?? 0);
  if (news.kind === "analysed") return "the match has been analysed";
  return news.kind === "started" ? "the match begins" : "";
}

/**
 * That shown plies were lost with the server that played the match.
 *
 * @param {number} ply  after which it went on
 */
export function wentBack(ply) {
  return `Another server has taken the match over; it went on after ply ${ply}.`;
}

/**
 * "1 match", "2 matches".
 *
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function plural(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * Large counts, short: 950, "12.3k", "4.5M".
 *
 * @param {number} number
 */
export function short(number) {
  if (number < 10_000) return String(number);
  if (number < 1_000_000) return `${(number / 1000).toFixed(1)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}
