/** What tells seats apart without colour. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";

const SHADES = 8; // colours of seats, in styles/board.css

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
