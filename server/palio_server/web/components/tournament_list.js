/** All events: those that go on first, then those that are over. */

/** @import { GameItem, TournamentItem } from "../types/wire.js" */

import { roundWords, stageWord } from "../lib/event_words.js";
import { useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { crowdVersion, resultsVersion } from "../lib/lobby_fold.js";
import { useLobby } from "../lib/lobby_stream.js";
import { to } from "../lib/router.js";
import { moment, when } from "../lib/when.js";
import { plural } from "../lib/words.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";

const PLANNED = new Set(["gauntlet", "round_robin", "sprt"]); // all their rounds are planned at once: the last one says nothing
const NAMED = 16; // matches in progress from which the list names some
const COMMAND = "palio run breakthrough --format swiss --rounds 3 random greedy alpha_beta:depth=2 alpha_beta:depth=3";

/** @param {{games: GameItem[]}} props */
export function TournamentList({ games }) {
  useTitle("Tournaments");
  const { state, status, why } = useLobby({ boards: NAMED });
  const { value, error, refresh } = useJson("tournaments?limit=200", resultsVersion(state) + crowdVersion(state));
  const going = (value ?? []).filter(({ stage }) => stage !== "finished" && stage !== "cancelled");
  const over = (value ?? []).filter((event) => !going.includes(event));
  const playing = (/** @type {number} */ id) => (state?.cards ?? []).filter(({ summary }) => summary.tournament === id && !summary.result).map(({ summary }) => summary.seats.map(({ bot }) => bot).join(" – "));
  return html`
    <${Connection} status=${status} why=${why} />
    <div class="section-head">
      <h1>Tournaments</h1>
      <a class="button primary" href=${to("tournaments", "new")}>New tournament</a>
    </div>
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${value?.length === 0 && html`<${None} />`}
    ${going.length > 0 && html`<section aria-label="going on"><ul class="event-list">${going.map((event) => html`<${Going} key=${event.id} event=${event} games=${games} playing=${playing(event.id)} />`)}</ul></section>`}
    ${over.length > 0 && html`<section class="event-over" aria-labelledby="over"><h2 id="over">Over</h2><ul class="event-list small">${over.map((event) => html`<${Over} key=${event.id} event=${event} games=${games} />`)}</ul></section>`}
  `;
}

function None() {
  return html`
    <${Empty} title="No tournament yet.">
      <p>Make one with “New tournament”, or from a terminal:</p>
      <pre tabindex="0"><code>${COMMAND}</code></pre>
    </${Empty}>
  `;
}

/**
 * @param {TournamentItem} event
 * @param {GameItem[]} games
 */
function what({ game, title, bots }, games) {
  return [games.find(({ name }) => name === game)?.title ?? game, title, plural(bots.length, "bot")].join(" · ");
}

/** @param {{event: TournamentItem, games: GameItem[], playing: string[]}} props */
function Going({ event, games, playing }) {
  const { id, name, format, stage, total, finished, leader, starts_at: starts } = event;
  const opens = stage === "open" && starts ? `starts ${moment(starts)}` : "";
  return html`
    <li>
      <a href=${to("tournaments", id)}>
        <span class="event-name">${name}</span>
        <span class="quiet">${what(event, games)}</span>
        <span class="event-state"><span class="event-stage" data-stage=${stage}>${stageWord(stage)}</span> ${[stage === "open" || PLANNED.has(format) ? "" : roundWords(event), opens].filter(Boolean).join(" · ")}</span>
        <span class="event-bar">${
          format === "sprt"
            ? plural(finished, "game")
            : html`<progress value=${finished} max=${total || 1} aria-label=${`${finished} of ${total} games finished`} /><span class="num">${finished}/${total}</span>`
        }</span>
        <span class="event-now">${leader && html`<span>${leader} leads</span>`} ${playing.length > 0 && html`<span class="quiet">now ${playing.slice(0, 2).join(", ")}${playing.length > 2 ? " and more" : ""}</span>`}</span>
      </a>
    </li>
  `;
}

/**
 * Who won, in a test what it found; "" where nobody did.
 *
 * @param {TournamentItem} event
 */
function outcome({ bots: [first], leader, verdict }) {
  if (verdict === null) return leader ? `${leader} won` : "";
  if (verdict === "continue") return "not decided";
  return verdict === "H1" ? `${first} is stronger` : `${first} is not stronger`;
}

/** @param {{event: TournamentItem, games: GameItem[]}} props */
function Over({ event, games }) {
  const { id, name, stage, finished, created_at: created } = event;
  const won = outcome(event);
  return html`
    <li>
      <a href=${to("tournaments", id)}>
        <span class="event-name">${name}</span>
        <span class="quiet">${what(event, games)}, ${plural(finished, "game")}</span>
        <span class="event-now">${stage === "cancelled" ? html`<span class="event-stage" data-stage=${stage}>cancelled</span>` : won && html`<span>${won}</span>`}</span>
        <time class="quiet num" datetime=${created}>${when(created)}</time>
      </a>
    </li>
  `;
}
