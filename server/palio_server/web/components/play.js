/** Play: a game, an opponent, and the board. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { useCurrentInSight, useTitle } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { kept } from "../lib/play_keep.js";
import { asking, to } from "../lib/router.js";
import { sitDown, standUp } from "../lib/sit_down.js";
import { Empty } from "./empty.js";
import { Later } from "./later.js";
import { PlayJoin } from "./play_join.js";
import { PlaySetup } from "./play_setup.js";

const loadTable = async () => (await import("./play_table.js")).PlayTable;

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
    sitDown(value);
    const [first] = value.request?.opponents ?? [];
    go(asking(to("play", value.table.game), { against: first?.house ?? first?.bot }), { replace: true });
    renew((count) => count + 1);
  };
  const leave = () => {
    standUp();
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
    ${
      table
        ? html`<${Later} key=${table.table.table} load=${loadTable} props=${{ kept: table, game, sit, leave }} />`
        : html`<${GameTabs} games=${games} here=${game.name} />${other && html`<${Elsewhere} kept=${other} games=${games} />`}<${PlaySetup} key=${game.name} game=${game} against=${query.get("against") ?? ""} sit=${sit} />`
    }
  `;
}

/** @param {{kept: Kept, games: GameItem[]}} props */
function Elsewhere({ kept: { table }, games }) {
  const title = games.find(({ name }) => name === table.game)?.title ?? table.game;
  return html`<p class="note play-elsewhere">You sit at a table of ${title}: <a href=${to("play", table.game)}>go back to it</a>. A new match leaves it.</p>`;
}

/** @param {{games: GameItem[], here: string}} props */
function GameTabs({ games, here }) {
  const frame = useCurrentInSight(here);
  return html`
    <nav class="game-tabs" aria-label="Game" ref=${frame}>
      ${games.map(({ name, title }) => html`<a key=${name} href=${to("play", name)} aria-current=${name === here ? "page" : null}>${title}</a>`)}
    </nav>
  `;
}
