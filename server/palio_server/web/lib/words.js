/** What people read: names, results and reasons in words. Codes come from the rules; here they become sentences. */

import { capital, plain, reason } from "./codes.js";
import { OUT } from "./race.js";
import { isField, podium, raceNews, raceVerdict } from "./race_words.js";

export { capital, plain } from "./codes.js";

const FAULTS = {
  illegal: "forfeits by illegal moves",
  time: "loses on time",
  disconnected: "lost its connection",
  crashed: "crashed",
  stalled: "stalled",
  resigned: "resigns",
};

/** A seat and its bot: "white (greedy)"; of a race the bot alone. */
export function seatName(seats, index) {
  const seat = seats[index];
  if (!seat) return `seat ${index + 1}`;
  return isField(seats) ? seat.bot : `${seat.name} (${seat.bot})`;
}

/** The seats with the highest score; all of them where everybody has the same. */
export function winners(result) {
  const best = Math.max(...result.scores);
  return result.scores.flatMap((score, seat) => (score === best ? [seat] : []));
}

/** Who won: "greedy wins", "Draw", "Solved". A bot's name keeps its own case. */
export function verdict(result, seats) {
  if (result.reason === "aborted") return "Broken off";
  if (result.finishes) return raceVerdict(result, seats);
  if (seats.length === 1) return capital(plain(result.reason));
  if (isField(seats)) return "No race";
  const best = winners(result);
  if (best.length === 1) return `${seats[best[0]].bot} wins`;
  return best.length === seats.length ? "Draw" : `${best.map((seat) => seats[seat].bot).join(" and ")} share the win`;
}

/** Why: "reached far row", "white (greedy) loses on time: the flag fell". The kinds of termination stay apart. */
export function cause(result, seats) {
  if (result.reason === "aborted") return result.detail || "no result";
  if (result.finishes) return podium(result, seats);
  const { termination, seat } = result;
  if (termination === "rule") return `by rule: ${reason(result.reason)}`;
  if (termination === "adjudicated") return `adjudicated: ${reason(result.reason)}`;
  const who = seat === null || seat === undefined ? "a bot" : seatName(seats, seat);
  const fault = `${who} ${FAULTS[termination] ?? plain(termination)}`;
  const why = result.reason === "resigned" || result.reason === termination ? "" : `: ${reason(result.reason)}`;
  return fault + why;
}

/** One sentence for a result. */
export function resultSentence(result, seats) {
  return `${verdict(result, seats)}, ${cause(result, seats)}`;
}

/** Scores as people write them: "1 – 0", "½ – ½". */
export function score(scores) {
  return scores.map(points).join(" – ");
}

const SHARES = [[1 / 2, "½"], [1 / 3, "⅓"], [2 / 3, "⅔"]];

export function points(number) {
  const whole = Math.floor(number);
  const rest = number - whole;
  if (rest === 0) return String(whole);
  const share = SHARES.find(([value]) => Math.abs(rest - value) < 1e-9);
  return share ? `${whole || ""}${share[1]}` : number.toFixed(2);
}

/** What a screen reader says of the newest thing that happened; "" where nothing needs saying. */
export function announce(news, { seats, result }) {
  if (news.kind === "finished") return resultSentence(result, seats);
  const who = news.seat === undefined ? "" : seatName(seats, news.seat);
  if (news.kind === "played") return news.text === OUT ? `${who} is out` : `${who} plays ${news.text}`;
  if (news.kind === "refused") return `${who}: move refused, ${news.text}`;
  if (news.kind === "absent") return `${who} has lost its connection`;
  if (news.kind === "back") return `${who} is back`;
  if (news.kind === "ahead" || news.kind === "ended") return raceNews(news, seats);
  if (news.kind === "analysed") return "the match has been analysed";
  return news.kind === "started" ? "the match begins" : "";
}

/** "1 match", "2 matches". */
export function plural(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** Large counts, short: 950, "12.3k", "4.5M". */
export function short(number) {
  if (number < 10_000) return String(number);
  if (number < 1_000_000) return `${(number / 1000).toFixed(1)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

/** "just now", "5 min ago", "3 h ago", or the day. */
export function ago(when, now = Date.now()) {
  const minutes = (now - Date.parse(when)) / 60_000;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(when).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
