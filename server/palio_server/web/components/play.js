/** Play: a game, an opponent, and the board. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { ApiError, post } from "../lib/api.js";
import { useTitle } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { forget, keep, kept } from "../lib/play_keep.js";
import { asking, to } from "../lib/router.js";
import { Empty } from "./empty.js";
import { PlayJoin } from "./play_join.js";
import { PlaySetup } from "./play_setup.js";
import { PlayTable } from "./play_table.js";

const JOIN = "join"; // in the place of a game: "play/join/CODE"

/** @param {{id: string, rest: string[], query: URLSearchParams, games: GameItem[]}} props */
export function Play({ id, rest, query, games }) {
  const joins = id === JOIN && rest.length > 0;
  const seated = kept(joins ? undefined : id || undefined);
  const [, renew] = useState(0);
  const name = joins ? "" : id || seated?.table.game || games[0]?.name;
  const game = games.find((each) => each.name === name);
  useTitle(game ? `Play ${game.title}` : "Play");

  const sit = (/** @type {Kept} */ value) => {
    const former = kept();
    if (former && former.table.table !== value.table.table) quit(former);
    keep(value);
    const [first] = value.request?.opponents ?? [];
    go(asking(to("play", value.table.game), { against: first?.house ?? first?.bot }), { replace: true });
    renew((count) => count + 1);
  };
  const leave = () => {
    const former = kept();
    if (former) quit(former);
    forget();
    renew((count) => count + 1);
  };
  if (joins) return html`<${PlayJoin} code=${rest[0]} games=${games} sit=${sit} />`;
  if (!games.length) return html`<h1>Play</h1><div class="waiting" aria-busy="true"><p>Loading the games …</p></div>`;
  if (!game) {
    return html`
      <h1>Play</h1>
      <${Empty} title=${`There is no game ${name} here.`}><a href=${to("play")}>See the games</a></${Empty}>
    `;
  }
  const table = seated?.table.game === game.name ? seated : null;
  const other = table ? null : kept();
  return html`
    <h1 class="unseen">Play ${game.title}</h1>
    <${GameTabs} games=${games} here=${game.name} />
    ${
      table
        ? html`<${PlayTable} key=${table.table.table} kept=${table} game=${game} sit=${sit} leave=${leave} />`
        : html`${other && html`<${Elsewhere} kept=${other} games=${games} />`}<${PlaySetup} key=${game.name} game=${game} against=${query.get("against") ?? ""} sit=${sit} />`
    }
  `;
}

/**
 * Give a table back, so that others can have its bots. One that is gone already needs nothing.
 *
 * @param {Kept} kept
 */
async function quit({ table: { table, token } }) {
  try {
    await post(`play/${encodeURIComponent(table)}/leave`, {}, token);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** @param {{kept: Kept, games: GameItem[]}} props */
function Elsewhere({ kept: { table }, games }) {
  const title = games.find(({ name }) => name === table.game)?.title ?? table.game;
  return html`<p class="note play-elsewhere">You sit at a table of ${title}: <a href=${to("play", table.game)}>go back to it</a>. A new game leaves it.</p>`;
}

/** @param {{games: GameItem[], here: string}} props */
function GameTabs({ games, here }) {
  return html`
    <nav class="game-tabs" aria-label="Game">
      ${games.map(({ name, title }) => html`<a key=${name} href=${to("play", name)} aria-current=${name === here ? "page" : null}>${title}</a>`)}
    </nav>
  `;
}
