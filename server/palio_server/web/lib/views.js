/**
 * The page's views by their addresses. A view's modules are asked for when somebody goes there.
 *
 * @typedef {import("./router.js").Pattern & {load: () => Promise<View>}} Known
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
];
