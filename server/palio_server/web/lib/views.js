/**
 * The page's views by their addresses. A view's modules are asked for when somebody goes there.
 *
 * @typedef {import("./router.js").Pattern & {load: () => Promise<View>, bare?: boolean}} Known  `bare`: it has the whole page, without head and foot
 * @typedef {(props: any) => any} View  its props: `id`, `rest` of the address, `query`, `games`
 */

/** @type {Known[]} */
export const VIEWS = [
  { view: "lobby", pattern: "", load: async () => (await import("../components/lobby.js")).Lobby },
  { view: "match", pattern: "match/:id", load: async () => (await import("../components/match.js")).Match },
  { view: "play", pattern: "play/:id?/:part?", load: async () => (await import("../components/play.js")).Play },
  { view: "tournaments", pattern: "tournaments", load: async () => (await import("../components/tournament_list.js")).TournamentList },
  { view: "new-tournament", pattern: "tournaments/new", load: async () => (await import("../components/tournament_form.js")).TournamentForm },
  { view: "tournament", pattern: "tournaments/:id/:part?/:number?", load: async () => (await import("../components/tournament.js")).Tournament },
  { view: "games", pattern: "games", load: async () => (await import("../components/games.js")).Games },
  { view: "game", pattern: "games/:id", load: async () => (await import("../components/game.js")).Game },
  { view: "embed", pattern: "embed/match/:id", bare: true, load: async () => (await import("../components/embed.js")).Embed },
  { view: "write", pattern: "write", load: async () => (await import("../components/write_bot.js")).WriteBot },
  { view: "tv", pattern: "tv", bare: true, load: async () => (await import("../components/tv.js")).Tv },
  { view: "bots", pattern: "bots", load: async () => (await import("../components/bot_list.js")).BotList },
  { view: "bot", pattern: "bots/:id", load: async () => (await import("../components/bot.js")).BotPage },
  { view: "results", pattern: "results", load: async () => (await import("../components/results_page.js")).ResultsPage },
];

/**
 * Whether a view has the whole page to itself.
 *
 * @param {string} view
 */
export function isBare(view) {
  return VIEWS.some((known) => known.view === view && known.bare);
}

/**
 * The part of the menu that a view belongs to: the first word of its addresses. A match is live, or was.
 *
 * @param {string} view
 */
export function sectionOf(view) {
  const first = VIEWS.find((known) => known.view === view)?.pattern.split("/")[0];
  return first === "" || first === "match" ? "lobby" : (first ?? "");
}
