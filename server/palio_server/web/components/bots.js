/** Who is connected, and how busy they are. */

/** @import { BotItem, GameItem } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { BotLink } from "./bot_link.js";

/** @param {{bots: BotItem[]|null, games: GameItem[]}} props */
export function Bots({ bots, games }) {
  const title = (/** @type {string} */ name) => games.find((game) => game.name === name)?.title ?? name;
  return html`
    <section class="panel" aria-labelledby="bots">
      <h2 id="bots">Connected bots</h2>
      ${
        bots?.length
          ? html`<ul class="bots">
              ${bots.map(
                (bot) => html`
                  <li key=${bot.name}>
                    <span class="bot"><${BotLink} name=${bot.name} /></span>
                    <span class="busy">${bot.playing ? `${bot.playing} of ${bot.slots} playing` : bot.rested ? "rested" : "free"}</span>
                    <span class="plays">${bot.games.map(title).join(", ")}</span>
                  </li>
                `,
              )}
            </ul>`
          : html`<p class="quiet">${bots ? "No bot is connected. Connect one with palio join." : "Loading …"}</p>`
      }
    </section>
  `;
}
