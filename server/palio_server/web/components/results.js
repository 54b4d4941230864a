/** How matches ended: the last ones of all, or those of a tournament. */

/** @import { MatchItem } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { areEntrants, ordinal } from "../lib/race_words.js";
import { asking, to } from "../lib/router.js";
import { ago, plain, points } from "../lib/words.js";

const PLACES = 4; // of a race that are named in a list

/**
 * @param {object} props
 * @param {number} props.version  the list is fetched again when it changes
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
          ? html`
              <ol class="results">${value.map((row) => html`<${Result} key=${row.id} row=${row} />`)}</ol>
              <p class="note"><a href=${asking(to("results"), tournament ? { tournament } : {})}>All results</a></p>
            `
          : html`<p class="quiet">${value ? "Finished matches will be listed here, to look at again." : "Loading …"}</p>`
      }
    </section>
  `;
}

/** @param {{row: MatchItem}} props */
function Result({ row }) {
  const { id, title, termination, reason, plies, finished_at: finished } = row;
  return html`
    <li>
      <a href=${to("match", id)}>
        <span class="result-bots">${isRace(row) ? html`<${RaceRow} row=${row} />` : html`<${TableRow} row=${row} />`}</span>
        <span class="result-how">
          ${title} · ${termination === "rule" ? plain(reason ?? "") : `${termination}: ${plain(reason ?? "")}`} · ${plies} plies
        </span>
        <time datetime=${finished}>${finished && ago(finished)}</time>
      </a>
    </li>
  `;
}

/** @param {MatchItem} row */
function isRace({ seats }) {
  return seats.length > 0 && areEntrants(seats);
}

/** @param {{row: MatchItem}} props */
function TableRow({ row: { bots, scores } }) {
  if (!scores) return null;
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
          <span class="points">${ordinal(rank)}</span> <span class="bot">${bot}</span>
        </span>
      `,
    )}
    ${placed.length > PLACES && html`<span class="quiet">and ${placed.length - PLACES} more</span>`}
  `;
}
