/** How the entrants of a race stand: whoever is ahead first, ties share a rank. A name shows its board. */

/** @import { Summary } from "../types/wire.js" */
/** @import { ClockState } from "../lib/clock.js" */
/** @import { Place } from "../lib/race.js" */

import { html } from "../lib/html.js";
import { ending, paid } from "../lib/race_words.js";
import { BotName } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";
import { Wide } from "./wide.js";

/**
 * @param {object} props
 * @param {Place[]} props.standings
 * @param {Summary} props.summary
 * @param {ClockState} props.clocks  in which the clocks are shown
 * @param {boolean} props.live  whether it is the newest position
 * @param {number} props.shown  the entrant whose board is large
 * @param {(seat: number) => void} props.pick
 */
export function Standings({ standings, summary, clocks, live, shown, pick }) {
  const { seats, time, absent, result } = summary;
  const finishes = (live && result?.finishes) || [];
  return html`
    <section class="standings" aria-labelledby="standings">
      <h2 id="standings">Standings</h2>
      <${Wide} labelledby="standings">
        <table>
          <caption class="unseen">Entrants, whoever is ahead first; less cost is better</caption>
          <thead>
            <tr>
              <th scope="col" class="num"><abbr title="rank">#</abbr></th>
              <th scope="col">Bot</th>
              <th scope="col" class="num">Cost</th>
              <th scope="col" class="num">Plies</th>
              <th scope="col" class="num">Clock</th>
            </tr>
          </thead>
          <tbody>
            ${standings.map((place) => {
              const { seat, rank, cost, plies, end } = place;
              const { bot } = seats[seat];
              const how = live && absent.includes(seat) ? "connection lost" : ending(place, finishes[seat]);
              return html`
                <tr key=${seat} aria-current=${seat === shown ? "true" : null} data-won=${live && result && rank === 1 ? "" : null}>
                  <td class="num rank">${rank ?? "–"}</td>
                  <th scope="row">
                    <button type="button" onClick=${() => pick(seat)} aria-label=${`show the board of ${bot}`}>
                      <${Token} seats=${seats} seat=${seat} /><${BotName} name=${bot} />
                    </button>
                    <span class="how" title=${finishes[seat]?.detail || how}>${how}</span>
                  </th>
                  <td class="num cost">${paid(cost)}</td>
                  <td class="num">${plies}</td>
                  <td class="num">
                    <${Clock} state=${clocks} seat=${seat} toMove=${end === null ? seat : null} time=${time} label=${`clock of ${bot}`} />
                  </td>
                </tr>
              `;
            })}
          </tbody>
        </table>
      </${Wide}>
    </section>
  `;
}
