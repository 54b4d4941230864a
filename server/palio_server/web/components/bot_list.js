/** All bots that are known here: who is here first, then whoever was here last. */

/** @import { ProfileItem } from "../types/wire.js" */

import { useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { crowdVersion } from "../lib/lobby_fold.js";
import { useLobby } from "../lib/lobby_stream.js";
import { go } from "../lib/navigation.js";
import { asking, to } from "../lib/router.js";
import { when } from "../lib/when.js";
import { plural } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Wide } from "./wide.js";

/** @import { EventOn } from "../lib/html.js" */

const PAGE = 50;
const LOOK_MS = 5000;
const RATINGS = 3; // of a bot that are named in the list

/** @param {{query: URLSearchParams}} props */
export function BotList({ query }) {
  const { state, status, why } = useLobby({ boards: 0 });
  const q = query.get("q") ?? "";
  const from = Math.max(0, Number.parseInt(query.get("from") ?? "", 10) || 0);
  const { value, error, refresh } = useJson(/** @type {`profiles?${string}`} */ (asking("profiles", { q, limit: PAGE, offset: from })), crowdVersion(state), LOOK_MS);
  useTitle("Bots");
  const search = (/** @type {EventOn<HTMLInputElement>} */ event) => go(asking(to("bots"), { q: event.currentTarget.value }), { replace: true });
  return html`
    <${Connection} status=${status} why=${why} />
    <div class="section-head">
      <h1>Bots</h1>
      <p class="count">${value && plural(value.total, "bot")}</p>
    </div>
    ${(q || !value || value.total > 0) && html`<div class="find" role="search" aria-label="Which bots"><label for="find-bot">Name</label><input id="find-bot" type="search" value=${q} onInput=${search} autocomplete="off" /></div>`}
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!error && !value && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${value && (value.bots.length ? html`<${List} bots=${value.bots} />` : html`<${None} q=${q} />`)}
    ${value && html`<${Pages} from=${from} total=${value.total} q=${q} />`}
  `;
}

/** @param {{q: string}} props */
function None({ q }) {
  if (q) return html`<p class="quiet">No bot has “${q}” in its name. <a href=${to("bots")}>All bots</a></p>`;
  return html`
    <${Empty} title="No bots yet.">
      <p>Bring one, in a terminal:</p>
      <pre tabindex="0"><code>palio join ${location.origin} greedy --name ada</code></pre>
    </${Empty}>
  `;
}

/** @param {{bots: ProfileItem[]}} props */
function List({ bots }) {
  const told = bots.some(({ about }) => about);
  return html`
    <${Wide} label="bots">
      <table class="plain-table bot-list">
        <caption class="unseen">Bots, those who are here first</caption>
        <thead>
          <tr><th scope="col">Bot</th><th scope="col">Here</th><th scope="col">Ratings</th>${told && html`<th scope="col">About</th>`}</tr>
        </thead>
        <tbody>
          ${bots.map(
            (bot) => html`
              <tr key=${bot.name}>
                <th scope="row"><${BotLink} name=${bot.name} /></th>
                <td>${bot.connected ? html`<span class="bot-present">${bot.playing ? "playing" : bot.rested ? "rested" : "free"}</span>` : html`<span class="quiet">${bot.last_seen ? when(bot.last_seen) : "absent"}</span>`}</td>
                <td class="ratings"><${Ratings} bot=${bot} /></td>
                ${told && html`<td class="about" title=${bot.about}>${bot.about}</td>`}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </${Wide}>
  `;
}

/** @param {{bot: ProfileItem}} props */
function Ratings({ bot: { name, ratings } }) {
  if (!ratings.length) return html`<span class="quiet">none yet</span>`;
  return html`
    ${ratings.slice(0, RATINGS).map(({ game, title, rating, provisional }) => html`<a key=${game} href=${asking(to("bots", name), { game })}>${title} <b>${Math.round(rating)}${provisional && "?"}</b></a>`)}
    ${ratings.length > RATINGS && html`<span class="quiet">+${ratings.length - RATINGS}</span>`}
  `;
}

/** @param {{from: number, total: number, q: string}} props */
function Pages({ from, total, q }) {
  if (total <= PAGE && !from) return null;
  const address = (/** @type {number} */ start) => asking(to("bots"), { q, from: start || null });
  return html`
    <nav class="page-links" aria-label="Pages">
      ${from > 0 && html`<a class="button" href=${address(Math.max(0, from - PAGE))}>Previous ${PAGE}</a>`}
      <span class="quiet">${Math.min(from + 1, total)} to ${Math.min(from + PAGE, total)} of ${total}</span>
      ${from + PAGE < total && html`<a class="button" href=${address(from + PAGE)}>Next ${PAGE}</a>`}
    </nav>
  `;
}
