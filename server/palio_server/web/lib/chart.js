/** The arithmetic of a small chart: scales, round numbers at the axes, a line that goes by steps. */

const LOG_FROM = 4; // times the smallest value: from there on even steps would press all that matters into a corner

/**
 * A scale from values to places, `from` at the least and `to` at the greatest; logarithmic where values differ widely.
 *
 * @param {number[]} values  at least one
 * @param {number} from
 * @param {number} to
 * @param {number} [margin]  room beyond the values, as a share of what they span
 * @returns {{(value: number): number, least: number, most: number, log: boolean}}
 */
export function scale(values, from, to, margin = 0) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const log = low > 0 && high / low > LOG_FROM;
  const room = high > low ? (high - low) * margin : Math.abs(high) / 10 || 1;
  const [least, most] = [log ? low * (1 - margin) : low - room, high + room];
  const bend = log ? Math.log : (value) => value;
  const share = (value) => (bend(value) - bend(least)) / (bend(most) - bend(least));
  return Object.assign((value) => round(from + (to - from) * share(value)), { least, most, log });
}

/** About `count` round numbers between the scale's ends: steps of 1, 2 or 5 times a power of ten. */
export function ticks({ least, most, log }, count) {
  if (log) return powers(least, most, count);
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** A line that keeps each value until the next one, up to `end`. */
export function steps(points, x, y, end) {
  if (!points.length) return "";
  const [[ms, cost], ...rest] = points;
  return `M${x(ms)} ${y(cost)}${rest.map(([at, value]) => `H${x(at)}V${y(value)}`).join("")}H${x(end)}`;
}

function powers(least, most, count) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    found.push(...[1, 2, 5].map((factor) => factor * power).filter((value) => value >= least && value <= most));
  }
  const every = Math.ceil(found.length / (count + 1));
  return found.filter((_, i) => i % every === 0);
}

function round(number) {
  return Math.round(number * 10) / 10;
}
