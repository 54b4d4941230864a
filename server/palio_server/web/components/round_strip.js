/** The rounds of an event in a row: which are over, which is being played, which are to come. */

/** @import { TournamentDetail } from "../types/wire.js" */

import { roundShown, roundState } from "../lib/event_rounds.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

const MOST = 24; // rounds with a place of their own

/** @param {{event: TournamentDetail}} props */
export function RoundStrip({ event }) {
  const { id, round, rounds, stage, sprt } = event;
  const last = stage === "finished" ? roundShown(event) : Math.max(round, rounds ?? 0);
  if (sprt || last < 2 || last > MOST) return null;
  return html`
    <nav class="strip" aria-label="Rounds">
      <ol>
        ${Array.from({ length: last }, (_, index) => index + 1).map((number) => {
          const state = roundState(event, number);
          const label = `round ${number}, ${state === "now" ? "being played" : state}`;
          return html`
            <li key=${number} data-state=${state}>
              ${
                number > round
                  ? html`<span aria-label=${label} role="img">${number}</span>`
                  : html`<a href=${to("tournaments", id, "rounds", number)} aria-label=${label}>${number}</a>`
              }
            </li>
          `;
        })}
      </ol>
    </nav>
  `;
}
