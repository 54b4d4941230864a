/**
 * Which matches the results show: from the address to the server's question.
 *
 * @typedef {Record<typeof NAMES[number], string>} Filters  "" where there is no such filter
 */

import { asking } from "./router.js";

const NAMES = /** @type {const} */ (["q", "game", "bot", "against", "ended", "outcome", "seat", "tournament", "event", "since", "until", "before"]);

/** What `ended` may be, and its words. */
export const ENDINGS = [
  ["", "in any way"],
  ["rule", "by the rules"],
  ["fault", "by a fault"],
  ["illegal", "by illegal moves"],
  ["time", "on time"],
  ["crashed", "by a crash"],
  ["disconnected", "by a lost connection"],
  ["stalled", "without an answer"],
  ["resigned", "by resignation"],
  ["revoked", "by a revoked token"],
  ["adjudicated", "by adjudication"],
];

/**
 * @param {URLSearchParams} query
 * @returns {Filters}
 */
export function filtersOf(query) {
  const found = Object.fromEntries(NAMES.map((name) => [name, query.get(name)?.trim() ?? ""]));
  if (!found.bot) [found.outcome, found.seat] = ["", ""]; // they are a bot's
  return /** @type {Filters} */ (found);
}

/** @param {Filters} filters */
export function isFiltered(filters) {
  return NAMES.some((name) => filters[name] !== "");
}

/**
 * The path below api/.
 *
 * @param {Filters} filters
 * @param {number} limit
 */
export function pathOf(filters, limit) {
  return /** @type {`matches?${string}`} */ (asking("matches", { status: "finished", limit, ...filters }));
}
