/** How matches ended: the last ones of all, or those of a tournament. */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { isField, ordinal } from "../lib/race_words.js";
import { to } from "../lib/router.js";
import { ago, plain, points } from "../lib/words.js";

const PLACES = 4; // of a race that are named in a list

/**
 * @param {object} props
 * @param {any} props.version  the list is fetched again when it changes
 * @param {string} [props.title]
 * @param {number} [props.most]  how many are listed
 * @param {string} [props.tournament]  its number, to list only its matches
 */
export function Results({ version, title = "Recent results", most = 12, tournament = "" }) {
  const only = tournament && `&tournament=${encodeURIComponent(tournament)}`;
  const { value } = useJson(`matches?status=finished&limit=${most}${only}`, version);
  return html`
    <section class="panel" aria-labelledby="results">
      <h2 id="results">${title}</h2>
      ${
        value?.length
          ? html`<ol class="results">${value.map((row) => html`<${Result} key=${row.id} row=${row} />`)}</ol>`
          : html`<p class="quiet">${value ? "Finished matches will be listed here, to look at again." : "Asking …"}</p>`
      }
    </section>
  `;
}

function Result({ row }) {
  const { id, title, game, termination, reason, plies, finished_at: finished } = row;
  return html`
    <li>
      <a href=${to("match", id)}>
        <span class="result-bots">${isRace(row) ? html`<${Field} row=${row} />` : html`<${Table} row=${row} />`}</span>
        <span class="result-how">
          ${title ?? plain(game)} · ${termination === "rule" ? plain(reason) : `${termination}: ${plain(reason)}`} · ${plies} plies
        </span>
        <time datetime=${finished}>${ago(finished)}</time>
      </a>
    </li>
  `;
}

function isRace({ seats }) {
  return seats?.length > 0 && isField(seats);
}

function Table({ row: { bots, scores } }) {
  const best = Math.max(...scores);
  const decided = scores.some((score) => score !== best);
  return bots.map(
    (bot, seat) => html`
      <span key=${seat} class="result-bot" data-won=${decided && scores[seat] === best ? "" : null}>
        <span class="bot">${bot}</span> <span class="points">${points(scores[seat])}</span>
      </span>
    `,
  );
}

/** The entrants of a race in order of rank; the list does not tell what they paid, the match does. */
function Field({ row: { bots, scores } }) {
  const placed = bots.map((bot, seat) => ({ bot, seat, rank: 1 + scores.filter((score) => score > scores[seat]).length }));
  placed.sort((a, b) => a.rank - b.rank || a.seat - b.seat);
  const decided = placed.at(-1).rank > 1;
  return html`
    ${placed.slice(0, PLACES).map(
      ({ bot, seat, rank }) => html`
        <span key=${seat} class="result-bot" data-won=${decided && rank === 1 ? "" : null}>
          <span class="points">${ordinal(rank)}</span> <span class="bot">${bot}</span>
        </span>
      `,
    )}
    ${placed.length > PLACES && html`<span class="quiet">and ${placed.length - PLACES} more</span>`}
  `;
}
