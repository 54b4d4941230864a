/** How a seat looks, the same everywhere: its colour, and a sign for those who cannot tell the colours apart. */

import { html } from "../lib/html.js";

const COLOURS = new Set(["black", "white", "red", "green", "blue"]);

/** The class that colours what belongs to a seat: by its name if that is a colour, else by its number. */
export function seatClass(seats, seat) {
  if (seat === null || seat === undefined) return "seat-none";
  const name = seats[seat]?.name;
  return COLOURS.has(name) ? `seat-${name}` : `seat-${seat % 4}`;
}

/** A small token with the seat's colour and sign. */
export function Token({ seats, seat }) {
  return html`
    <svg class=${`token ${seatClass(seats, seat)}`} viewBox="-12 -12 24 24" aria-hidden="true">
      <circle class="body" r="9" />
      <${Sign} seat=${seat} size=${9} />
    </svg>
  `;
}

/** What tells seats apart without colour: nothing, a ring, a dot, a cross. `size` is half the piece's width. */
export function Sign({ seat, size }) {
  if (!seat) return null;
  const inner = size * 0.5;
  if (seat % 4 === 1) return html`<circle class="sign" r=${inner} />`;
  if (seat % 4 === 2) return html`<circle class="sign full" r=${size * 0.3} />`;
  if (seat % 4 === 3) return html`<path class="sign" d=${`M${-inner} 0h${2 * inner}M0 ${-inner}v${2 * inner}`} />`;
  return null;
}
