/**
 * The arithmetic of a small chart: scales, round numbers at the axes, a line that goes by steps.
 *
 * @typedef {{least: number, most: number, log: boolean}} Span  of values
 * @typedef {((value: number) => number) & Span} Scale
 * @typedef {[ms: number, cost: number]} Point
 */

const LOG_FROM = 4; // times the smallest value: from there on even steps would press all that matters into a corner

/**
 * A scale from values to places, `from` at the least and `to` at the greatest; logarithmic where values differ widely.
 *
 * @param {number[]} values  at least one
 * @param {number} from
 * @param {number} to
 * @param {number} [margin]  room beyond the values, as a share of what they span
 * @returns {Scale}
 */
export function scale(values, from, to, margin = 0) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const log = low > 0 && high / low > LOG_FROM;
  const room = high > low ? (high - low) * margin : Math.abs(high) / 10 || 1;
  const [least, most] = [log ? low * (1 - margin) : low - room, high + room];
  const bend = log ? Math.log : (/** @type {number} */ value) => value;
  const share = (/** @type {number} */ value) => (bend(value) - bend(least)) / (bend(most) - bend(least));
  return Object.assign((/** @type {number} */ value) => round(from + (to - from) * share(value)), { least, most, log });
}

/**
 * About `count` round numbers between the scale's ends: steps of 1, 2 or 5 times a power of ten.
 *
 * @param {Span} span
 * @param {number} count
 * @returns {number[]}
 */
export function ticks({ least, most, log }, count) {
  if (log && most / least >= LOG_FROM ** 2) return powers(least, most, count); // else too few of them would be round
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * A line that keeps each value until the next one, up to `end`.
 *
 * @param {Point[]} points
 * @param {(ms: number) => number} x
 * @param {(cost: number) => number} y
 * @param {number} end
 */
export function steps(points, x, y, end) {
  if (!points.length) return "";
  const [[ms, cost], ...rest] = points;
  return `M${x(ms)} ${y(cost)}${rest.map(([at, value]) => `H${x(at)}V${y(value)}`).join("")}H${x(end)}`;
}

/**
 * @param {number} least
 * @param {number} most
 * @param {number} count
 */
function powers(least, most, count) {
  /** @type {number[]} */
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    found.push(...[1, 2, 5].map((factor) => factor * power).filter((value) => value >= least && value <= most));
  }
  const every = Math.ceil(found.length / (count + 1));
  return found.filter((_, i) => i % every === 0);
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 10) / 10;
}
