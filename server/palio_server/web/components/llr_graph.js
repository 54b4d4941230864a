/** The log-likelihood ratio over the games, between the bounds at which the test ends. */

/** @import { SprtState } from "../types/wire.js" */

import { signed } from "../lib/event_words.js";
import { useMedia } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { graph } from "../lib/sprt.js";

const HEIGHT = 300;
const [WIDE, NARROW] = [640, 330]; // a phone's picture is narrower, not smaller
const MARGIN = 62; // for the numbers on the right

/** @param {{test: SprtState}} props */
export function LlrGraph({ test }) {
  const { upper, lower, elo0, elo1, model, alpha, beta } = test;
  const full = useMedia("(width < 60rem)") ? NARROW : WIDE;
  const plot = { left: 4, right: full - MARGIN, top: 8, bottom: 270 };
  const { x, y, path, last, games } = graph(test, plot, full === WIDE ? 4 : 2);
  const wide = plot.right - plot.left;
  const label = `log-likelihood ratio after ${last.games} games: ${signed(last.llr, 2)}; the test ends at ${signed(lower, 2)} or ${signed(upper, 2)}`;
  return html`
    <section class="panel llr" aria-labelledby="llr">
      <h2 id="llr">Log-likelihood ratio</h2>
      <svg class="llr-graph" viewBox=${`0 0 ${full} ${HEIGHT}`} role="img" aria-label=${label}>
        <rect class="gain" x=${plot.left} y=${plot.top} width=${wide} height=${Math.max(0, y(upper) - plot.top)} />
        <rect class="loss" x=${plot.left} y=${y(lower)} width=${wide} height=${Math.max(0, plot.bottom - y(lower))} />
        <path class="zero" d=${`M${plot.left} ${y(0)}h${wide}`} />
        <path class="bound upper" d=${`M${plot.left} ${y(upper)}h${wide}`} />
        <path class="bound lower" d=${`M${plot.left} ${y(lower)}h${wide}`} />
        <text class="gain-word" x=${plot.left + 8} y=${y(upper) - 7}>accepted: it is stronger</text>
        <text class="loss-word" x=${plot.left + 8} y=${y(lower) + 17}>rejected: it is not</text>
        ${[upper, 0, lower].map((bound) => html`<text key=${bound} class="tick" x=${plot.right + 8} y=${y(bound) + 4}>${bound ? signed(bound, 2) : "0"}</text>`)}
        ${games.map((count) => html`<text key=${`g${count}`} class="tick games" x=${x(count)} y=${HEIGHT - 10} data-first=${count ? null : ""}>${count ? `${count.toLocaleString("en")} games` : "0"}</text>`)}
        <path class="ratio" d=${path} />
        <circle class="ratio-end" cx=${x(last.games)} cy=${y(last.llr)} r="5" />
      </svg>
      <p class="note">The test ends when the line leaves the band. Elo ${elo0} against ${elo1}, ${model}, α ${alpha}, β ${beta}.</p>
    </section>
  `;
}
