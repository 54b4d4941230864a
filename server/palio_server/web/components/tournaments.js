/** The events there are, and how far they have come. */

/** @import { GameItem } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { plural } from "../lib/words.js";

/** @param {{version: number, games: GameItem[]}} props */
export function Tournaments({ version, games }) {
  const { value } = useJson("tournaments", version);
  if (!value?.length) return null;
  return html`
    <section class="panel" aria-labelledby="events">
      <h2 id="events">Tournaments</h2>
      <ul class="events">
        ${value.map(({ id, name, game, bots, finished, total }) => {
          const count = total ?? 0;
          const title = games.find((known) => known.name === game)?.title ?? game;
          return html`
            <li key=${id}>
              <a href=${to("tournament", String(id))}>
                <span class="bot">${name}</span>
                <span class="quiet">${title}, ${plural(bots.length, "bot")}</span>
                <progress value=${finished} max=${count || 1} aria-label=${`${finished} of ${count} matches finished`} />
                <span class="num">${finished}/${count}</span>
              </a>
            </li>
          `;
        })}
      </ul>
    </section>
  `;
}
