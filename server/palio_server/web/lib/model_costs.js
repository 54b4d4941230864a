/** What a language model costs, in words: tokens, dollars, how long its answers take. */

import { duration } from "./clock.js";
import { short } from "./words.js";

/**
 * Dollars in as few digits as tell something: "$0", "$12.40", "$0.035", "$0.00021", "less than $0.000001".
 *
 * @param {number} dollars
 */
export function money(dollars) {
  if (dollars === 0) return "$0";
  if (dollars >= 1) return `$${dollars.toFixed(2)}`;
  if (dollars < 0.000001) return "less than $0.000001";
  return `$${dollars.toFixed(Math.min(7, 1 - Math.floor(Math.log10(dollars)))).replace(/0+$/, "")}`;
}

/**
 * "1.2k + 85 tokens": read and written, as far as they are known.
 *
 * @param {number|null|undefined} read
 * @param {number|null|undefined} written
 */
export function tokens(read, written) {
  const known = [read, written].filter((count) => count !== null && count !== undefined);
  return known.length ? `${known.map((count) => short(Math.round(count))).join(" + ")} tokens` : "";
}

/**
 * The facts of one move: tokens, dollars, seconds; those that were told.
 *
 * @param {{tokens_in?: number, tokens_out?: number, cost?: number, latency_ms?: number}} info
 */
export function costFacts({ tokens_in: read, tokens_out: written, cost, latency_ms: latency }) {
  return [tokens(read, written), cost !== undefined && money(cost), latency !== undefined && `answered in ${duration(latency)}`].filter(Boolean);
}
