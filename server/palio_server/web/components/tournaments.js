/** The newest events, and how far they have come. */

/** @import { GameItem } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { plural } from "../lib/words.js";

const MOST = 6; // the others stand in the list

/** @param {{version: number, games: GameItem[]}} props */
export function Tournaments({ version, games }) {
  const { value } = useJson(`tournaments?limit=${MOST}`, version);
  if (!value?.length) return null;
  return html`
    <section class="panel" aria-labelledby="events">
      <h2 id="events"><a href=${to("tournaments")}>Tournaments</a></h2>
      <ul class="events">
        ${value.map(({ id, name, game, bots, finished, total: count }) => {
          const title = games.find((known) => known.name === game)?.title ?? game;
          return html`
            <li key=${id}>
              <a href=${to("tournaments", String(id))}>
                <span class="event-name">${name}</span>
                <span class="quiet">${title}, ${plural(bots.length, "bot")}</span>
                <progress value=${finished} max=${count || 1} aria-label=${`${finished} of ${count} games finished`} />
                <span class="num">${finished}/${count}</span>
              </a>
            </li>
          `;
        })}
      </ul>
    </section>
  `;
}
