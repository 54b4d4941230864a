/** The way back to the game at which this tab sits, on all views but its own, while it is open. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { foldMatch } from "../lib/fold.js";
import { useEvery, useFollow, useJson } from "../lib/hooks.js";
import { html, useRef } from "../lib/html.js";
import { to } from "../lib/router.js";

const LOOK_MS = 3000; // between two looks at who has come to a table

/** @param {{kept: Kept, games: GameItem[]}} props */
export function OpenGame({ kept, games }) {
  const title = games.find(({ name }) => name === kept.table.game)?.title;
  if (!title) return null;
  return kept.match ? html`<${OpenMatch} key=${kept.match} kept=${kept} title=${title} />` : html`<${OpenTable} key=${kept.table.table} kept=${kept} title=${title} />`;
}

/** @param {{kept: Kept, title: string}} props */
function OpenMatch({ kept: { table, match }, title }) {
  const { state: live } = useFollow(`ws/live/${encodeURIComponent(match)}`, foldMatch);
  if (!live || live.summary.result) return null;
  const { seats, view } = live.summary;
  const mine = seats.length > 1 && view.to_move !== null && seats[view.to_move]?.bot === table.name;
  return html`
    <p>${mine ? html`<b>Your turn</b> in your game of ${title}.` : html`<b>Your game</b> of ${title} goes on.`} You may be away for two minutes in all.</p>
    <a class="button" href=${to("play", table.game)}>Back to your game</a>
  `;
}

/** @param {{kept: Kept, title: string}} props */
function OpenTable({ kept: { table }, title }) {
  const { value, refresh } = useJson(`play/${encodeURIComponent(table.table)}`);
  const look = useRef(refresh);
  look.current = refresh;
  const again = useRef(() => look.current());
  useEvery(LOOK_MS, again.current);
  if (!value || value.closed) return null;
  const others = value.waiting.filter((who) => !who.startsWith(`${table.name} `));
  return html`
    <p><b>Your table</b> of ${title} ${others.length ? `waits: ${others.join(", ")}` : "waits for you alone"}.</p>
    <a class="button" href=${to("play", table.game)}>Back to your table</a>
  `;
}
