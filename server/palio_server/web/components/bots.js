/** Who is connected, and how busy they are; of a crowd the first ones. */

/** @import { BotItem, GameItem } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { BotLink } from "./bot_name.js";

const MOST = 50;

/** @param {{bots: BotItem[]|null, here: number, games: GameItem[]}} props  `here`: how many there are; `bots` may be some of them */
export function Bots({ bots, here, games }) {
  const title = (/** @type {string} */ name) => games.find((game) => game.name === name)?.title ?? name;
  return html`
    <section class="panel" aria-labelledby="bots">
      <h2 id="bots">Connected bots</h2>
      ${
        bots?.length
          ? html`<ul class="bots">
              ${bots.slice(0, MOST).map(
                (bot) => html`
                  <li key=${bot.name}>
                    <${BotLink} name=${bot.name} />
                    <span class="busy">${bot.playing ? `${bot.playing} of ${bot.slots} playing` : bot.rested ? "rested" : "free"}</span>
                    <span class="plays">${bot.games.map(title).join(", ")}</span>
                  </li>
                `,
              )}
            </ul>
            ${here > MOST && html`<p class="note"><a href=${to("bots")}>All ${here} bots</a></p>`}`
          : html`<p class="quiet">${bots ? "No bot is connected. Connect one with palio join." : "Loading …"}</p>`
      }
    </section>
  `;
}
