/** How a duel stands, as a bar beside its board: each seat's part of it comes from where its pieces are. */

/** @import { SeatOf } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { styled } from "../lib/place.js";
import { seatClass } from "./seat.js";

/** @param {{seats: SeatOf[], share: number|null, upper: number, words: string}} props  `share`: the first seat's, from 0 to 1; `upper`: the seat above */
export function Gauge({ seats, share, upper, words }) {
  return html`
    <div class=${`gauge ${seatClass(seats, 1 - upper)}`} role="img" aria-label=${words} data-known=${share === null ? null : ""}>
      <i class=${seatClass(seats, upper)} ...${styled({ transform: `scaleY(${Math.abs(upper - (share ?? 0.5)).toFixed(3)})` })}></i>
    </div>
  `;
}
