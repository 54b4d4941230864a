/** How matches ended: the last ones of all, or those of a tournament. */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { ago, plain, points } from "../lib/words.js";

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

function Result({ row: { id, title, game, bots, scores, termination, reason, plies, finished_at: finished } }) {
  const best = Math.max(...scores);
  const decided = scores.some((score) => score !== best);
  return html`
    <li>
      <a href=${to("match", id)}>
        <span class="result-bots">
          ${bots.map(
            (bot, seat) => html`
              <span key=${seat} class="result-bot" data-won=${decided && scores[seat] === best ? "" : null}>
                <span class="bot">${bot}</span> <span class="points">${points(scores[seat])}</span>
              </span>
            `,
          )}
        </span>
        <span class="result-how">
          ${title ?? plain(game)} · ${termination === "rule" ? plain(reason) : `${termination}: ${plain(reason)}`} · ${plies} plies
        </span>
        <time datetime=${finished}>${ago(finished)}</time>
      </a>
    </li>
  `;
}
