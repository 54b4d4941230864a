/** A rating and its 95 % interval, drawn on the scale that all lines of the table share. */

/** @import { Leader } from "../types/wire.js" */

/** @typedef {Pick<Leader, "rating"|"error"|"provisional">} Rated */

import { html } from "../lib/html.js";

const WIDTH = 160;
const HEIGHT = 18;

/**
 * The scale that holds every interval, a little wider than needed.
 *
 * @param {Rated[]} leaders
 */
export function scale(leaders) {
  const low = Math.min(...leaders.map(({ rating, error }) => rating - error));
  const high = Math.max(...leaders.map(({ rating, error }) => rating + error));
  const room = Math.max(20, (high - low) * 0.04);
  return { low: low - room, high: high + room };
}

/** @param {{leader: Rated, scale: {low: number, high: number}}} props */
export function Interval({ leader: { rating, error, provisional }, scale: { low, high } }) {
  const x = (/** @type {number} */ elo) => ((elo - low) / (high - low)) * WIDTH;
  const middle = HEIGHT / 2;
  return html`
    <svg
      class="interval"
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      data-provisional=${provisional ? "" : null}
      role="img"
      aria-label=${`between ${Math.round(rating - error)} and ${Math.round(rating + error)}`}
    >
      <path class="axis" d=${`M0 ${middle}h${WIDTH}`} />
      <path class="whisker" d=${`M${x(rating - error)} ${middle}H${x(rating + error)}`} />
      <circle class="estimate" cx=${x(rating)} cy=${middle} r="4.5" />
    </svg>
  `;
}
