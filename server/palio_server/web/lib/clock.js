/**
 * Clocks: what is left between two updates, and how it reads. Only the referee's clock counts; this one is for eyes.
 *
 * @typedef {object} ClockState
 * @property {(number|null)[]} clocks  milliseconds left by seat, at the moment `at`
 * @property {(number|null)[]} [movesToGo]  by seat: moves until the clock gains its time again
 * @property {number} at  when `clocks` was true
 * @property {number[]} [since]  of a race: when each entrant was asked
 * @property {boolean} running
 */

/** @import { TimeControl } from "../types/wire.js" */

/**
 * Milliseconds left for `seat` at `now`; null where no clock runs. Only the seat to move loses time.
 *
 * @param {ClockState} state
 * @param {number} seat
 * @param {number|null} toMove
 * @param {number} now
 */
export function remaining({ clocks, at, running }, seat, toMove, now) {
  const left = clocks[seat] ?? null;
  if (left === null || !running || seat !== toMove) return left;
  return Math.max(0, left - Math.max(0, now - at));
}

/**
 * Milliseconds since the seat to move was asked, for matches with a limit a move and no clock. In a race all are.
 *
 * @param {ClockState} state
 * @param {number} seat
 * @param {number|null} toMove
 * @param {number} now
 */
export function thinking({ at, since, running }, seat, toMove, now) {
  return running && seat === toMove ? Math.max(0, now - (since?.[seat] ?? at)) : 0;
}

/**
 * "9.8" below ten seconds, "0:42", "12:05", "1:02:03". Rounds down: a clock never shows time that is gone.
 *
 * @param {number} ms
 */
export function clock(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/**
 * A time that a move took: "0 ms", "340 ms", "1.25 s", "12.3 s", "2:05".
 *
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return clock(ms);
}

/**
 * What a clock shows that flags in `ms`, by its time control: main time; then what is left of the period of byo-yomi,
 * with the periods left ("29.5 ×3") or the moves to play in it ("4:10 /12").
 *
 * @param {number} ms
 * @param {TimeControl} time
 * @param {number|null} [movesToGo]  in a Canadian period
 */
export function shown(ms, { byoyomi }, movesToGo = null) {
  if (!byoyomi) return { ms, count: movesToGo ? `/${movesToGo}` : "", period: 0 };
  const { period_ms: period, periods, stones } = byoyomi;
  const main = ms - period * (periods ?? 1);
  if (main > 0) return { ms: main, count: "", period: 0 };
  if (!periods) return { ms, count: `/${movesToGo ?? stones}`, period };
  const left = Math.max(1, Math.ceil(ms / period));
  return { ms: ms - (left - 1) * period, count: `×${left}`, period };
}

/**
 * A time control as people write it: "10+0.1", "600+5x30", "40/60+0", "0.5 s a move", "no limit".
 *
 * @param {TimeControl} time
 */
export function timeControl({ base_ms: base, increment_ms: increment, move_ms: move, moves, byoyomi }) {
  const seconds = (/** @type {number} */ ms) => String(ms / 1000);
  const parts = [];
  const after = byoyomi && `${byoyomi.periods ? `${byoyomi.periods}x` : `${byoyomi.stones}/`}${seconds(byoyomi.period_ms)}`;
  if (byoyomi) parts.push(`${seconds(base ?? 0)}+${after}`);
  else if (base !== null && base !== undefined) parts.push(`${moves ? `${moves}/` : ""}${seconds(base)}+${seconds(increment ?? 0)}`);
  if (move !== null && move !== undefined) parts.push(`${seconds(move)} s a move`);
  return parts.join(", ") || "no limit";
}
