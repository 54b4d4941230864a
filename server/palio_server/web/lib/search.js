/**
 * What the search box offers while somebody types.
 *
 * @typedef {{kind: "bot"|"event"|"game"|"all", text: string, address: string}} Offer
 * @typedef {{name: string}} Named
 */

import { asking, to } from "./router.js";

export const MOST = 7; // offers; then the one that searches in all results

/**
 * Bots, games and events whose names have `query` in them: those that begin with it first, then by name. The last offer
 * looks for `query` among the results.
 *
 * @param {string} query
 * @param {{bots: Named[], games: {name: string, title: string}[], events: {id: number, name: string}[]}} known
 * @returns {Offer[]}
 */
export function offers(query, { bots, games, events }) {
  const wanted = fold(query);
  if (!wanted) return [];
  /** @type {Offer[]} */
  const all = [
    ...[...new Set(bots.map(({ name }) => name))].map((name) => ({ kind: /** @type {const} */ ("bot"), text: name, address: to("bots", name) })),
    ...games.map(({ name, title }) => ({ kind: /** @type {const} */ ("game"), text: title, address: to("games", name) })),
    ...events.map(({ id, name }) => ({ kind: /** @type {const} */ ("event"), text: name, address: to("tournaments", id) })),
  ];
  const found = all.flatMap((offer) => {
    const at = fold(offer.text).indexOf(wanted);
    return at < 0 ? [] : [{ offer, at }];
  });
  found.sort((a, b) => Number(a.at > 0) - Number(b.at > 0) || a.offer.text.localeCompare(b.offer.text));
  return [...found.slice(0, MOST).map(({ offer }) => offer), { kind: "all", text: query.trim(), address: results(query) }];
}

/**
 * The address of the results that `query` finds.
 *
 * @param {string} query
 */
export function results(query) {
  return asking(to("results"), { q: query.trim() });
}

/**
 * A text as it is compared: small letters, without accents.
 *
 * @param {string} text
 */
function fold(text) {
  return text.trim().normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
