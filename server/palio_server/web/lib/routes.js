/**
 * The addresses of the page's views, in the order in which they are tried. This module imports nothing, so that each part
 * of the page can ask where something is; `views.js` has the modules.
 *
 * @typedef {{view: string, pattern: string, bare?: boolean}} Route  `pattern` as in `router.js`; `bare`: it has the whole page, without head and foot
 */

/** @type {Route[]} */
export const ROUTES = [
  { view: "lobby", pattern: "" },
  { view: "match", pattern: "match/:id" },
  { view: "play", pattern: "play/:id?/:part?" },
  { view: "try", pattern: "try/:id" },
  { view: "tournaments", pattern: "tournaments" },
  { view: "new-tournament", pattern: "tournaments/new" },
  { view: "tournament", pattern: "tournaments/:id/:part?/:number?" },
  { view: "games", pattern: "games" },
  { view: "game", pattern: "games/:id" },
  { view: "embed", pattern: "embed/match/:id", bare: true },
  { view: "write", pattern: "write" },
  { view: "tv", pattern: "tv", bare: true },
  { view: "bots", pattern: "bots" },
  { view: "bot", pattern: "bots/:id" },
  { view: "course", pattern: "course/:id/:part?/:number?/:match?" },
  { view: "leaderboards", pattern: "leaderboards/:id?" },
  { view: "admin", pattern: "admin" },
  { view: "results", pattern: "results" },
];

/**
 * True for a view that has the whole page to itself.
 *
 * @param {string} view
 */
export function isBare(view) {
  return ROUTES.some((known) => known.view === view && known.bare);
}

/**
 * The part of the menu that a view belongs to: the first word of its addresses. A match is live, or was.
 *
 * @param {string} view
 */
export function sectionOf(view) {
  const first = ROUTES.find((known) => known.view === view)?.pattern.split("/")[0];
  return first === "" || first === "match" || first === "try" ? "lobby" : (first ?? "");
}
