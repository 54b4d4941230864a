/**
 * The module of each view of `routes.js`, which is asked for when somebody goes there. Only the page's start imports this.
 *
 * @typedef {(props: any) => any} View  its props: `id`, `rest` of the address, `query`, `games`
 */

/** @type {Record<string, () => Promise<View>>} */
export const VIEWS = {
  lobby: async () => (await import("../components/lobby.js")).Lobby,
  match: async () => (await import("../components/match.js")).Match,
  play: async () => (await import("../components/play.js")).Play,
  try: async () => (await import("../components/try.js")).Try,
  tournaments: async () => (await import("../components/tournament_list.js")).TournamentList,
  "new-tournament": async () => (await import("../components/tournament_form.js")).TournamentForm,
  tournament: async () => (await import("../components/tournament.js")).Tournament,
  games: async () => (await import("../components/games.js")).Games,
  game: async () => (await import("../components/game.js")).Game,
  embed: async () => (await import("../components/embed.js")).Embed,
  write: async () => (await import("../components/write_bot.js")).WriteBot,
  tv: async () => (await import("../components/tv.js")).Tv,
  bots: async () => (await import("../components/bot_list.js")).BotList,
  bot: async () => (await import("../components/bot.js")).BotPage,
  course: async () => (await import("../components/course.js")).Course,
  leaderboards: async () => (await import("../components/leaderboards.js")).Leaderboards,
  admin: async () => (await import("../components/admin.js")).Admin,
  results: async () => (await import("../components/results_page.js")).ResultsPage,
};

/**
 * The view, and with it the style sheets that not all views need.
 *
 * @param {string} view
 * @returns {Promise<View>}
 */
export async function loadView(view) {
  const [found] = await Promise.all([VIEWS[view](), ...[...document.querySelectorAll(`link[data-view~="${view}"]`)].map(loadSheet)]);
  return found;
}

/** @param {Element} link */
async function loadSheet(link) {
  if (!(link instanceof HTMLLinkElement) || !link.disabled) return;
  await new Promise((done) => {
    link.onload = link.onerror = done;
    link.disabled = false;
  });
}
