/** The boards of a race: small ones to choose from, and what stands above the large one. */

/** @import { SeatOf, View } from "../types/wire.js" */
/** @import { Place } from "../lib/race.js" */

import { html } from "../lib/html.js";
import { ending, ordinal, paid } from "../lib/race_words.js";
import { plural } from "../lib/words.js";
import { Board } from "./board.js";
import { BotLink, BotName } from "./bot_name.js";
import { Token } from "./seat.js";

/**
 * @param {object} props
 * @param {Place[]} props.standings
 * @param {View[]} props.boards  of each entrant
 * @param {SeatOf[]} props.seats
 * @param {string} props.title
 * @param {number} props.shown  the entrant whose board is large
 * @param {(seat: number) => void} props.pick
 */
export function Lanes({ standings, boards, seats, title, shown, pick }) {
  const bySeat = [...standings].sort((a, b) => a.seat - b.seat); // each keeps its place: who overtakes whom is in the standings
  return html`
    <ul class="lanes" aria-label="everybody's board">
      ${bySeat.map(
        (place) => html`
          <li key=${place.seat}>
            <${Lane} place=${place} view=${boards[place.seat]} seats=${seats} title=${title} here=${place.seat === shown} pick=${pick} />
          </li>
        `,
      )}
    </ul>
  `;
}

/** @param {{place: Place, view: View, seats: SeatOf[], title: string, here: boolean, pick: (seat: number) => void}} props */
function Lane({ place, view, seats, title, here, pick }) {
  const { seat } = place;
  const plies = plural(place.plies, "ply", "plies");
  return html`
    <button
      type="button"
      class="lane"
      aria-pressed=${String(here)}
      onClick=${() => pick(seat)}
      data-out=${place.end !== null && place.rank === null ? "" : null}
    >
      <span class="unseen">show the board of${" "}</span>
      <span class="lane-board" aria-hidden="true">
        <${Board} view=${view} seats=${seats} title=${title} entrant=${seat} small />
      </span>
      <span class="lane-name"><${Token} seats=${seats} seat=${seat} /><${BotName} name=${seats[seat].bot} /></span>
      <span class="lane-cost">${place.rank === null ? ending(place) || plies : `${ordinal(place.rank)} · ${paid(place.cost)}`}</span>
    </button>
  `;
}

/**
 * Whose board is large, and the way back to following whoever is ahead.
 *
 * @param {{place: Place, seats: SeatOf[], follows: boolean, follow: () => void, gap?: string}} props  `gap`: to the optimum
 */
export function Leader({ place, seats, follows, follow, gap = "" }) {
  return html`
    <p class="lane-head">
      <${Token} seats=${seats} seat=${place.seat} />
      <${BotLink} name=${seats[place.seat].bot} />
      <span class="quiet">${[progressOf(place), gap].filter(Boolean).join(" · ")}</span>
      ${seats.length > 1 && html`<button type="button" class="follow" aria-pressed=${String(follows)} onClick=${follow}>Follow the leader</button>`}
    </p>
  `;
}

/** @param {Place} place */
function progressOf(place) {
  const { rank, cost, plies } = place;
  const facts = [rank !== null && `${ordinal(rank)} with ${paid(cost)}`, ending(place), rank === null && plural(plies, "ply", "plies")];
  return facts.filter(Boolean).join(", ");
}
