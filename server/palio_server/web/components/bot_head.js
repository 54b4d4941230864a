/** Who a bot is: its banner, its author's line, whether it is here, and what can be done with it. */

/** @import { BotDetail } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { shortBuild } from "../lib/rating_series.js";
import { asking, to } from "../lib/router.js";
import { day, when } from "../lib/when.js";
import { plural } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Face } from "./face.js";

/** @param {{name: string, bot: BotDetail|null, game: string}} props */
export function BotHead({ name, bot, game }) {
  return html`
    <header class="bot-head">
      <${Face} name=${name} size="large" />
      <div class="bot-id">
        <nav class="crumbs" aria-label="Where this is"><a href=${to("bots")}>Bots</a> <span aria-hidden="true">›</span> <span>${name}</span></nav>
        <h1>${name}</h1>
        ${bot?.about && html`<p class="bot-about">${bot.about}</p>`}
        <p class="bot-facts">${bot ? html`<${Facts} bot=${bot} />` : html`<span> </span>`}</p>
      </div>
      <div class="bot-acts">
        ${bot && !bot.guest && game && html`<a class="button primary" href=${asking(to("play", game), { against: name })}><span>Play against <${BotName} name=${name} /></span></a>`}
        <a class="button" href=${asking("tv", { bot: name })}>Follow in the hall</a>
      </div>
    </header>
  `;
}

/** @param {{bot: BotDetail}} props */
function Facts({ bot }) {
  const { connected, rested, matches, first_seen: first, last_seen: last, builds, registered, guest } = bot;
  const build = builds.at(-1)?.build;
  const facts = [
    first && `here since ${day(first)}`,
    build && html`<span title=${build}>${shortBuild(build)}</span>`,
    guest ? "guest, unrated" : registered ? "registered" : "not registered",
  ];
  return html`
    ${connected ? html`<strong class="bot-present">${matches.length ? (matches.length > 1 ? `playing ${plural(matches.length, "match", "matches")}` : "playing now") : rested ? "here, rested: it did not come to its last matches" : "here, free"}</strong>` : last ? `last seen ${when(last)}` : "not here"}
    ${facts.map((fact, index) => fact && html`<span key=${index}>${" · "}${fact}</span>`)}
  `;
}
