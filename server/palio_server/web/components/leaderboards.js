/** Who is best, game by game: the leaderboards without the rules, which a game's own page has. */

/** @import { GameItem } from "../types/wire.js" */

import { useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { gameOf } from "../lib/words.js";
import { Empty } from "./empty.js";
import { Leaderboard } from "./leaderboard.js";
import { Tabs } from "./tabs.js";

/** @param {{id: string, games: GameItem[]}} props */
export function Leaderboards({ id, games }) {
  const here = id ? games.find(({ name }) => name === gameOf(id)) : games[0];
  useTitle(here ? `${here.title}: leaderboard` : "Leaderboards");
  if (!games.length) return html`<h1>Leaderboards</h1><div class="waiting" aria-busy="true"><p>Loading the games …</p></div>`;
  const tabs = games.map(({ name, title }) => ({ word: name, name: title, address: to("leaderboards", name) }));
  return html`
    <h1>Leaderboards</h1>
    <${Tabs} label="Game" tabs=${tabs} here=${here?.name ?? ""} />
    ${here ? html`<${Leaderboard} key=${id || here.name} id=${id || here.name} />` : html`<${Empty} title=${`There is no game ${id} here.`}><a href=${to("games")}>See the games</a></${Empty}>`}
  `;
}
