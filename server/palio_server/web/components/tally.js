/** What is counted of a seat, beside its name: pips as many as its goal has sockets, and the count in words. */

/** @import { Scene, SeatOf } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { pips } from "../lib/pips.js";
import { seatClass } from "./seat.js";

const STEP = 14;

/** @param {{scene: Scene|null, seats: SeatOf[], seat: number}} props */
export function Tally({ scene, seats, seat }) {
  const { of, filled, words } = pips(scene, seat);
  if (!of && !words) return null;
  return html`
    <span class="tally">
      ${
        of > 0 &&
        html`
          <svg class=${`pips ${seatClass(seats, seat)}`} viewBox=${`0 0 ${of * STEP} ${STEP}`} aria-hidden="true">
            ${Array.from({ length: of }, (_, index) => html`<circle key=${index} data-full=${index < filled ? "" : null} cx=${(index + 0.5) * STEP} cy=${STEP / 2} r="5" />`)}
          </svg>
        `
      }
      <span class=${of ? "unseen" : null}>${words}</span>
    </span>
  `;
}
