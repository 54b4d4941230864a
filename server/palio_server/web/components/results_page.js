/** All matches, with filters that the address keeps: fifty at a time, back to the oldest. */

/** @import { GameItem, MatchItem } from "../types/wire.js" */
/** @import { Pieces } from "../lib/chip.js" */
/** @import { EventOn } from "../lib/html.js" */

import { piecesOf } from "../lib/chip.js";
import { useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { ENDINGS, filtersOf, isFiltered, pathOf } from "../lib/result_filters.js";
import { asking, to } from "../lib/router.js";
import { moment } from "../lib/when.js";
import { ended } from "../lib/codes.js";
import { plain, points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Empty, Failure } from "./empty.js";
import { Token } from "./seat.js";
import { Wide } from "./wide.js";

const PAGE = 50;
const NAMED = 4; // bots of a match that are named

/** @param {{query: URLSearchParams, games: GameItem[]}} props */
export function ResultsPage({ query, games }) {
  const filters = filtersOf(query);
  const { value, error, refresh } = useJson(pathOf(filters, PAGE + 1));
  useTitle("Results");
  const rows = (value ?? []).slice(0, PAGE);
  const more = (value?.length ?? 0) > PAGE;
  return html`
    <div class="section-head"><h1>Results</h1></div>
    <${Filters} filters=${filters} games=${games} />
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!error && !value && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${value && !rows.length && html`<${None} filtered=${isFiltered(filters)} />`}
    ${rows.length > 0 && html`<${Table} rows=${rows} games=${games} />`}
    ${
      value &&
      html`<nav class="page-links" aria-label="Pages">
        ${filters.before && html`<a class="button" href=${asking(to("results"), { ...filters, before: "" })}>The newest</a>`}
        ${more && html`<a class="button" href=${asking(to("results"), { ...filters, before: rows[rows.length - 1].id })}>Older</a>`}
        ${filters.before && !more && rows.length > 0 && html`<span class="quiet">These are the oldest.</span>`}
      </nav>`
    }
  `;
}

/** @param {{filtered: boolean}} props */
function None({ filtered }) {
  if (filtered) return html`<${Empty} title="No match is like that."><a href=${to("results")}>All results</a></${Empty}>`;
  return html`<${Empty} title="No match has ended yet."><a href=${to("lobby")}>Start one</a></${Empty}>`;
}

/** @param {{filters: import("../lib/result_filters.js").Filters, games: GameItem[]}} props */
function Filters({ filters, games }) {
  const set = (/** @type {EventOn<HTMLInputElement|HTMLSelectElement>} */ event) =>
    go(asking(to("results"), { ...filters, before: "", [event.currentTarget.name]: event.currentTarget.value.trim() }), { replace: true });
  return html`
    <form class="result-filters" role="search" aria-label="Which matches" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label class="grow">Search <input type="search" name="q" value=${filters.q} onInput=${set} placeholder="a bot or an event" autocomplete="off" /></label>
      <label>Game
        <select name="game" value=${filters.game} onChange=${set}>
          <option value="">all games</option>
          ${games.map(({ name, title }) => html`<option key=${name} value=${name} selected=${name === filters.game}>${title}</option>`)}
        </select>
      </label>
      <label>Ended
        <select name="ended" value=${filters.ended} onChange=${set}>
          ${ENDINGS.map(([value, words]) => html`<option key=${value} value=${value} selected=${value === filters.ended}>${words}</option>`)}
        </select>
      </label>
      <label>From <input type="date" name="since" value=${filters.since} onChange=${set} /></label>
      <label>To <input type="date" name="until" value=${filters.until} onChange=${set} /></label>
    </form>
    <${Chosen} filters=${filters} />
  `;
}

/**
 * What came with the address and has no field: each can be taken off.
 *
 * @param {{filters: import("../lib/result_filters.js").Filters}} props
 */
function Chosen({ filters }) {
  const { bot, against, outcome, seat, tournament, event } = filters;
  const words = [
    ["bot", bot],
    ["against", against && `against ${against}`],
    ["outcome", outcome && `it ${outcome === "fault" ? "failed" : plain(outcome)}`],
    ["seat", seat && `in seat ${Number(seat) + 1}`],
    ["tournament", tournament && `event ${tournament}`],
    ["event", event],
  ].filter(([, text]) => text);
  if (!words.length) return null;
  const without = (/** @type {string} */ name) => ({ ...filters, [name]: "", before: "", ...(name === "bot" ? { outcome: "", seat: "", against: "" } : {}) });
  return html`
    <p class="chosen">
      ${words.map(([name, text]) => html`<a key=${name} class="filter-pick" href=${asking(to("results"), without(name))} aria-label=${`${text}: take off`}>${text} <span aria-hidden="true">×</span></a>`)}
    </p>
  `;
}

/** @param {{rows: MatchItem[], games: GameItem[]}} props */
function Table({ rows, games }) {
  return html`
    <${Wide} label="results">
      <table class="plain-table results-table">
        <caption class="unseen">Matches, the newest first</caption>
        <thead>
          <tr><th scope="col">Match</th><th scope="col">Score</th><th scope="col">How it ended</th><th scope="col">Game</th><th scope="col">Event</th><th scope="col" class="num">Plies</th><th scope="col">When</th></tr>
        </thead>
        <tbody>${rows.map((row) => html`<${Line} key=${row.id} row=${row} pieces=${piecesOf(games, row.game)} />`)}</tbody>
      </table>
    </${Wide}>
  `;
}

/** @param {{row: MatchItem, pieces: Pieces|null}} props */
function Line({ row, pieces }) {
  const { id, bots, seats, scores, game, title, termination, reason, detail, tournament, event, round, plies, finished_at: at, rated, void: gone } = row;
  const best = Math.max(...(scores ?? []));
  const decided = (scores ?? []).some((score) => score !== best);
  const made = bots.length <= NAMED && scores ? scores.map(points).join(" – ") : "result";
  const how = gone ? `void: ${gone.reason}` : ended(termination, reason, detail);
  return html`
    <tr>
      <th scope="row">
        ${bots.slice(0, NAMED).map((bot, seat) => html`<span key=${seat} class="result-seat" data-won=${decided && scores?.[seat] === best ? "" : null}><${Token} seats=${seats} seat=${seat} scene=${pieces} /><${BotLink} name=${bot} plain /></span>`)}
        ${bots.length > NAMED && html`<small>and ${bots.length - NAMED} more</small>`}
      </th>
      <td class="score"><a href=${to("match", id)} aria-label=${`${made}: replay ${bots.join(" against ")}`}>${made}</a></td>
      <td class=${!gone && ["rule", "adjudicated"].includes(termination ?? "") ? null : "bad"}>${how}</td>
      <td><a href=${to("games", game)}>${title}</a></td>
      <td>${event && (tournament ? html`<a href=${to("tournaments", tournament)}>${event}</a>` : event)}${round > 0 && `, round ${round}`}${!rated && html`<small>unrated</small>`}</td>
      <td class="num">${plies}</td>
      <td><time datetime=${at}>${at && moment(at)}</time></td>
    </tr>
  `;
}
