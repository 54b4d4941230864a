/** How the last matches ended, as a table. */

/** @import { MatchItem } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { areEntrants, ordinal } from "../lib/race_words.js";
import { to } from "../lib/router.js";
import { ended } from "../lib/codes.js";
import { ago, capital, plural, points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";

const MOST = 12;
const PLACES = 4; // of a race that are named in a list

/**
 * The last results, for `Results`.
 *
 * @param {number} version  the list is fetched again when it changes
 */
export function useResults(version) {
  return useJson(`matches?status=finished&limit=${MOST}`, version).value;
}

/** @param {{value: MatchItem[]|null}} props  null while it is loaded */
export function Results({ value }) {
  return html`
    <section class="panel" aria-labelledby="results">
      <h2 id="results">Recent results</h2>
      ${
        value?.length
          ? html`
              <table class="results">
                <caption class="unseen">The last matches, the newest first</caption>
                <thead><tr><th scope="col">Bots</th><th scope="col">How it ended</th><th scope="col">Game</th><th scope="col">When</th></tr></thead>
                <tbody>${value.map((row) => html`<${Result} key=${row.id} row=${row} />`)}</tbody>
              </table>
              <p class="note"><a href=${to("results")}>All results</a></p>
            `
          : html`<p class="quiet">${value ? "Finished matches will be listed here, to look at again." : "Loading …"}</p>`
      }
    </section>
  `;
}

/** @param {{row: MatchItem}} props */
function Result({ row }) {
  const { id, game, title, bots, termination, reason, detail, plies, finished_at: finished, void: gone } = row;
  const how = gone ? `Void: ${gone.reason}` : capital(ended(termination, reason, detail));
  return html`
    <tr>
      <th scope="row" class="result-bots">${isRace(row) ? html`<${RaceRow} row=${row} />` : html`<${TableRow} row=${row} />`}</th>
      <td class="result-how"><a href=${to("match", id)} aria-label=${`${how}: replay ${bots.join(" against ")}`}>${how}</a>, ${plural(plies ?? 0, "ply", "plies")}</td>
      <td class="result-game"><a href=${to("games", game)}>${title}</a></td>
      <td class="result-when"><time datetime=${finished}>${finished && ago(finished)}</time></td>
    </tr>
  `;
}

/** @param {MatchItem} row */
function isRace({ seats }) {
  return seats.length > 0 && areEntrants(seats);
}

/** @param {{row: MatchItem}} props */
function TableRow({ row: { bots, scores } }) {
  if (!scores) return bots.map((bot, seat) => html`<span key=${seat} class="result-bot"><${BotLink} name=${bot} /></span>`);
  const best = Math.max(...scores);
  const decided = scores.some((score) => score !== best);
  return bots.map(
    (bot, seat) => html`
      <span key=${seat} class="result-bot" data-won=${decided && scores[seat] === best ? "" : null}>
        <${BotLink} name=${bot} /> <span class="points">${points(scores[seat])}</span>
      </span>
    `,
  );
}

/**
 * The entrants of a race in order of rank. What they paid stands in the match, not in the list.
 *
 * @param {{row: MatchItem}} props
 */
function RaceRow({ row: { bots, scores } }) {
  if (!scores) return null;
  const placed = bots.map((bot, seat) => ({ bot, seat, rank: 1 + scores.filter((score) => score > scores[seat]).length }));
  placed.sort((a, b) => a.rank - b.rank || a.seat - b.seat);
  const decided = placed[placed.length - 1].rank > 1;
  return html`
    ${placed.slice(0, PLACES).map(
      ({ bot, seat, rank }) => html`
        <span key=${seat} class="result-bot" data-won=${decided && rank === 1 ? "" : null}>
          <span class="points">${ordinal(rank)}</span> <${BotLink} name=${bot} />
        </span>
      `,
    )}
    ${placed.length > PLACES && html`<span class="quiet">and ${placed.length - PLACES} more</span>`}
  `;
}
