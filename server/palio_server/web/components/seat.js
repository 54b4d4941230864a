/** How a seat looks, the same everywhere: its colour, and a sign for those who cannot tell the colours apart. */

/** @import { SeatOf } from "../types/wire.js" */
/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";

const COLOURS = new Set(["black", "white", "red", "green", "blue"]);
const SHADES = 8; // in styles/board.css, for seats whose names are no colours

/**
 * The class that colours what belongs to a seat: by its name if that is a colour, else by its number.
 *
 * @param {SeatOf[]} seats
 * @param {number|null|undefined} seat
 */
export function seatClass(seats, seat) {
  if (seat === null || seat === undefined) return "seat-none";
  const name = seats[seat]?.name;
  return name !== undefined && COLOURS.has(name) ? `seat-${name}` : `seat-${seat % SHADES}`;
}

/**
 * A small token with the seat's colour and sign.
 *
 * @param {{seats: SeatOf[], seat: number}} props
 */
export function Token({ seats, seat }) {
  return html`
    <svg class=${`token ${seatClass(seats, seat)}`} viewBox="-12 -12 24 24" aria-hidden="true">
      <circle class="body" r="9" />
      <${Sign} seat=${seat} size=${9} />
    </svg>
  `;
}

/** @type {((size: number) => Renderable)[]} */
const SIGNS = [
  () => null,
  (size) => html`<circle class="sign" r=${size * 0.5} />`,
  (size) => html`<circle class="sign full" r=${size * 0.3} />`,
  (size) => html`<path class="sign" d=${`M${-size / 2} 0h${size}M0 ${-size / 2}v${size}`} />`,
  (size) => html`<path class="sign" d=${`M${-size / 2} 0h${size}`} />`,
  (size) => html`<path class="sign" d=${`M0 ${-size / 2}v${size}`} />`,
  (size) => html`<path class="sign" d=${`M${-size * 0.4} ${-size * 0.4}l${size * 0.8} ${size * 0.8}m0 ${-size * 0.8}l${-size * 0.8} ${size * 0.8}`} />`,
  (size) => html`<path class="sign full" d=${`M0 ${-size * 0.45}l${size * 0.45} ${size * 0.8}h${-size * 0.9}z`} />`,
];

/**
 * What tells seats apart without colour: nothing, a ring, a dot, a cross, ... `size` is half the piece's width. Colour and
 * sign go in different steps, so that the 64 entrants of the largest race all differ.
 *
 * @param {{seat: number|null, size: number}} props
 */
export function Sign({ seat, size }) {
  return seat ? SIGNS[(seat + Math.floor(seat / SHADES)) % SIGNS.length](size) : null;
}
