/** A bot's last matches, with filters; all of them are one link away. */

/** @import { GameItem, MatchItem } from "../types/wire.js" */
/** @import { Pieces } from "../lib/chip.js" */

import { piecesOf } from "../lib/chip.js";
import { useJson } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { seenBy } from "../lib/outcomes.js";
import { asking, to } from "../lib/router.js";
import { when } from "../lib/when.js";
import { capital } from "../lib/words.js";
import { Face } from "./face.js";
import { Token } from "./seat.js";

const SHOWN = 8;
const LOOK_MS = 5000; // between two questions

/** @typedef {{name: string, query: Record<string, string>}} Filter */

/** @type {Filter[]} */
const FILTERS = [
  { name: "All", query: {} },
  { name: "Won", query: { outcome: "won" } },
  { name: "Lost", query: { outcome: "lost" } },
  { name: "Faults", query: { outcome: "fault" } },
];

/**
 * @param {object} props
 * @param {string} props.bot
 * @param {GameItem[]} props.games  all of them
 * @param {GameItem|null} props.game  whose seats are filters
 * @param {string} props.name  the game's; "" for all games
 * @param {number} props.total
 * @param {number} props.version
 */
export function BotMatches({ bot, games, game, name, total, version }) {
  const [chosen, choose] = useState("All");
  const seats = game && game.kind !== "race" && game.seats.length > 1 ? game.seats : [];
  const filters = [...FILTERS, ...seats.map((seat, index) => ({ name: `As ${capital(seat)}`, query: { seat: String(index) } }))];
  const { query } = filters.find((filter) => filter.name === chosen) ?? filters[0];
  const { value, error, refresh } = useJson(
    /** @type {`matches?${string}`} */ (asking("matches", { status: "finished", bot, game: name, limit: SHOWN, ...query })),
    version,
    LOOK_MS,
  );
  return html`
    <section class="panel" aria-labelledby="recent">
      <h2 id="recent">Recent matches</h2>
      <div class="chips">
        <div role="group" aria-label="Which matches">
          ${filters.map((filter) => html`<button type="button" class="filter-pick" key=${filter.name} aria-pressed=${filter.name === chosen ? "true" : "false"} onClick=${() => choose(filter.name)}>${filter.name}</button>`)}
        </div>
        <a href=${asking(to("results"), { bot, game: name, ...query })}>Search all ${total}</a>
      </div>
      ${error && html`<p class="bad" role="alert">${error.message} <button type="button" onClick=${refresh}>Retry</button></p>`}
      ${value?.length === 0 && html`<p class="quiet">${chosen === "All" ? "No match has ended yet." : "No match is like that."}</p>`}
      ${value && value.length > 0 && html`<ol class="bot-matches">${value.map((match) => html`<${Line} key=${match.id} match=${match} bot=${bot} all=${!name} pieces=${piecesOf(games, match.game)} />`)}</ol>`}
      ${!value && !error && html`<div class="matches-wait" aria-busy="true"></div>`}
    </section>
  `;
}

/** @param {{match: MatchItem, bot: string, all: boolean, pieces: Pieces|null}} props */
function Line({ match, bot, all, pieces }) {
  const { result, fault, how } = seenBy(match, bot);
  const seat = match.bots.indexOf(bot);
  const others = match.bots.filter((name) => name !== bot);
  return html`
    <li>
      <a href=${to("match", match.id)}>
        <span class="made" data-made=${result}>${result}</span>
        <${Token} seats=${match.seats} seat=${seat} scene=${pieces} />
        <span class="against">${others.length > 0 && html`<${Face} name=${others[0]} />`}<span class="unseen">as ${match.seats[seat]?.name ?? "?"} against</span> <span>${others.slice(0, 2).join(", ")}${others.length > 2 ? ` +${others.length - 2}` : ""}</span></span>
        <span class="ending" data-fault=${fault ? "" : null}>${how}</span>
        <span class="where">${all ? match.title : match.event ? `${match.event}${match.round ? `, round ${match.round}` : ""}` : match.rated ? "" : "unrated"}</span>
        <time datetime=${match.finished_at}>${match.finished_at && when(match.finished_at)}</time>
      </a>
    </li>
  `;
}
