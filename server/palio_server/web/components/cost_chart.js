/**
 * An anytime race as a chart: each entrant's best cost over the time that it has thought.
 *
 * @typedef {{ms: number, points: [number, number][]}} Curve
 */

/** @import { PlyView, SeatOf } from "../types/wire.js" */
/** @import { Place } from "../lib/race.js" */

import { scale, steps, ticks } from "../lib/chart.js";
import { duration } from "../lib/clock.js";
import { html, useMemo } from "../lib/html.js";
import { costs } from "../lib/race.js";
import { paid } from "../lib/race_words.js";
import { short } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { seatClass, Token } from "./seat.js";

const [WIDTH, HEIGHT] = [380, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [50, 362, 10, 164]; // the edges of the plot
const NAMED = 8; // entrants in the legend and in the description

/**
 * @param {object} props
 * @param {PlyView[]} props.lines
 * @param {Curve[]} props.curves  what `costs` makes of them; it sets the axes
 * @param {number} props.ply  how far the lines are drawn
 * @param {Place[]} props.standings
 * @param {SeatOf[]} props.seats
 * @param {number} props.shown  the entrant whose board is large: its line is the thick one
 */
export function CostChart({ lines, curves, ply, standings, seats, shown }) {
  const known = useMemo(
    () => (ply >= lines.length ? curves : (costs(lines.filter((line) => line.ply <= ply), seats.length) ?? [])),
    [lines, curves, ply],
  );
  const x = scale([0, ...curves.map(({ ms }) => ms)], LEFT, RIGHT);
  const y = scale(curves.flatMap(({ points }) => points.map(([, cost]) => cost)), BOTTOM, TOP, 0.06);
  const elapsed = Math.max(...known.map(({ ms }) => ms)); // all race at once: whoever still does has come as far as this
  const curve = (/** @type {Place} */ { seat, end }) => ({ seat, points: known[seat].points, until: end === null ? elapsed : known[seat].ms });
  const drawn = standings.filter(({ seat }) => known[seat]?.points.length).map(curve);
  const order = drawn.map(({ seat }) => seat);
  return html`
    <section class="costs" aria-labelledby="costs">
      <h2 id="costs">Best cost over time</h2>
      <svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${described(order, known, seats)}>
        ${ticks(y, 4).map((cost) => html`<path key=${`y${cost}`} class="grid" d=${`M${LEFT} ${y(cost)}H${RIGHT}`} />
          <text key=${`c${cost}`} class="y" x=${LEFT - 6} y=${y(cost) + 4}>${short(cost).replace(".0", "")}</text>`)}
        ${ticks({ ...x, least: 0, log: false }, 4).map((ms) => html`<text key=${`x${ms}`} class="x" x=${x(ms)} y=${HEIGHT - 8}>${ms / 1000} s</text>`)}
        <path class="axis" d=${`M${LEFT} ${BOTTOM}H${RIGHT}`} />
        ${[...drawn.filter(({ seat }) => seat !== shown).reverse(), ...drawn.filter(({ seat }) => seat === shown)].map(
          ({ seat, points, until }) => html`
            <g key=${seat} class=${`curve ${seatClass(seats, seat)}`} data-shown=${seat === shown ? "" : null}>
              <path d=${steps(points, x, y, until)} />
              ${points.slice(-1).map(([ms, cost]) => html`<circle cx=${x(ms)} cy=${y(cost)} r="2.5" />`)}
            </g>
          `,
        )}
      </svg>
      <ul class="legend">
        ${order.slice(0, NAMED).map(
          (seat) => html`<li key=${seat}><${Token} seats=${seats} seat=${seat} /><${BotName} name=${seats[seat].bot} /></li>`,
        )}
        ${order.length > NAMED && html`<li class="quiet">and ${order.length - NAMED} more</li>`}
      </ul>
    </section>
  `;
}

/**
 * @param {number[]} order
 * @param {Curve[]} curves
 * @param {SeatOf[]} seats
 */
function described(order, curves, seats) {
  const entrants = order.slice(0, NAMED).map((seat) => {
    const { points } = curves[seat];
    const [[, first], [at, best]] = [points[0], points[points.length - 1]];
    return `${seats[seat].bot} from ${paid(first)} to ${paid(best)} in ${duration(at)}`;
  });
  const more = order.length > NAMED ? [`and ${order.length - NAMED} more`] : [];
  return `best cost over thinking time: ${[...entrants, ...more].join("; ") || "nothing yet"}`;
}
