/** How often pairs of games gave the first bot 0, ½, 1, 1½ or 2 points; single games where pairs are not counted. */

/** @import { PairFigures, SprtState } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { bars, played } from "../lib/sprt.js";
import { plural, points } from "../lib/words.js";

const [WIDTH, HEIGHT] = [300, 210];
const [TOP, BASE] = [24, 180];

/** @param {{test: SprtState|PairFigures}} props */
export function PairBars({ test }) {
  const { pairs, wins, draws, losses, first } = test;
  const counts = pairs ?? [losses, draws, wins];
  const names = pairs ? ["0", "½", "1", "1½", "2"] : ["lost", "drawn", "won"];
  const step = WIDTH / counts.length;
  const label = counts.map((count, index) => `${names[index]}: ${count}`).join(", ");
  const made = wins + draws / 2;
  const games = played(test);
  return html`
    <section class="panel" aria-labelledby="pair-points">
      <h2 id="pair-points">${pairs ? "Points of a pair" : "Results"}</h2>
      <svg class="pair-bars" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${label}>
        ${bars(counts, BASE - TOP).map(
          ({ count, height }, index) => html`
            <g key=${index} class=${side(index, counts.length)}>
              <rect x=${index * step + 5} y=${BASE - height} width=${step - 10} height=${height} rx="3" />
              <text class="count" x=${(index + 0.5) * step} y=${BASE - height - 7}>${count}</text>
              <text x=${(index + 0.5) * step} y=${BASE + 20}>${names[index]}</text>
            </g>
          `,
        )}
        <path class="base" d=${`M0 ${BASE}h${WIDTH}`} />
      </svg>
      <p class="note">
        ${pairs && `${plural(pairs.reduce((sum, count) => sum + count, 0), "pair")}, each one opening played with both colours. `}
        ${first} made ${points(made)} of ${games}${games > 0 && ` (${((100 * made) / games).toFixed(1)} %)`}.
      </p>
    </section>
  `;
}

/**
 * @param {number} index
 * @param {number} length
 */
function side(index, length) {
  const middle = (length - 1) / 2;
  return index < middle ? "behind" : index > middle ? "ahead" : "level";
}
