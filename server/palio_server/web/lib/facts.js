/** What stands beside a match, in words: when it was played, how the seats have fared against each other. */

/** @import { EncounterItem, Meetings, SeatOf, TimeControl } from "../types/wire.js" */

import { points, score } from "./words.js";

/**
 * A time control in full: "20 s + 0.3 s a move"; "" where nobody counts.
 *
 * @param {TimeControl} time
 */
export function clockWords({ base_ms: base, increment_ms: increment, move_ms: move, moves, byoyomi }) {
  const span = (/** @type {number} */ ms) => (ms >= 120_000 && ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`);
  const parts = [];
  if (byoyomi) {
    const { period_ms: period, periods, stones } = byoyomi;
    if (base) parts.push(span(base));
    parts.push(periods ? `${periods} × ${span(period)} byo-yomi` : `${stones} moves in ${span(period)} byo-yomi`);
  } else if (base !== null && base !== undefined) parts.push(`${span(base)}${moves ? ` for ${moves} moves` : ""}${increment ? ` + ${span(increment)} a move` : ""}`);
  if (move !== null && move !== undefined) parts.push(parts.length ? `${span(move)} a move at most` : `${span(move)} a move`);
  return parts.join(", ");
}

/**
 * The time controls of a match: that of all, or each bot's own: "ann 10 s, bob 5 s".
 *
 * @param {{seats: SeatOf[], time: TimeControl, times?: TimeControl[]}} match
 */
export function clocksWords({ seats, time, times }) {
  const words = (/** @type {TimeControl} */ each) => clockWords(each) || "no limit";
  return times?.length ? seats.map(({ bot }, seat) => `${bot} ${words(times[seat])}`).join(", ") : words(time);
}

/**
 * A day and a time, "12 May 2026, 14:52"; today only the time.
 *
 * @param {string} when
 * @param {Date} [now]
 */
export function moment(when, now = new Date()) {
  const date = new Date(when);
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === now.toDateString()) return `today, ${time}`;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}, ${time}`;
}

/**
 * "ada 9 – 3 grace, 2 drawn"; in a table: how often each finished ahead of the other.
 *
 * @param {Meetings} meetings
 */
export function met({ wins, draws, losses }) {
  return { score: `${wins} – ${losses}`, drawn: draws ? `${draws} level` : "" };
}

/**
 * How an encounter of a round stands, in few characters: "1 – 0", "live", "".
 *
 * @param {EncounterItem} encounter
 */
export function standing({ over, points: made, matches }) {
  if (matches.some(({ status }) => status === "running")) return "live";
  if (!over && !matches.some(({ scores }) => scores)) return "";
  return made.length > 3 ? points(Math.max(...made)) : score(made);
}

/**
 * How the programs of a match were confined, as its record says: a line for all, or one for each of those that differ.
 *
 * @param {{seats: {bot: string}[], confined: string[]}} summary
 */
export function confinedWords({ seats, confined }) {
  const known = seats.map(({ bot }, seat) => ({ bot, how: confined?.[seat] ?? "" })).filter(({ how }) => how);
  if (known.length === seats.length && known.every(({ how }) => how === known[0].how)) return known.length ? [known[0].how] : [];
  return known.map(({ bot, how }) => `${bot}: ${how}`);
}
