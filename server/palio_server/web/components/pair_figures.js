/** What the pairs of games of two bots say of their strength: the difference with its errors, and how pairs ended. */

/** @import { PairFigures as Figures } from "../types/wire.js" */

import { signed } from "../lib/event_words.js";
import { html } from "../lib/html.js";
import { played } from "../lib/sprt.js";
import { PairBars } from "./pair_bars.js";

/** @param {{figures: Figures}} props */
export function PairFigures({ figures }) {
  const { first, wins, draws, losses, elo, elo_error, nelo, nelo_error, los } = figures;
  const shown = [
    { name: "Elo", value: signed(elo, 1), aside: `±${elo_error.toFixed(1)}`, note: "with the 95 % interval, by pairs" },
    { name: "Normalised Elo", value: signed(nelo, 1), aside: `±${nelo_error.toFixed(1)}`, note: "in standard deviations of a game" },
    { name: "Likely superior", value: `${(100 * los).toFixed(1)} %`, aside: "", note: "LOS" },
    { name: "Games", value: played(figures).toLocaleString("en"), aside: "", note: `${first}: ${wins} won, ${draws} drawn, ${losses} lost` },
  ];
  return html`
    <dl class="figures">
      ${shown.map(({ name, value, aside, note }) => html`<div key=${name} class="panel"><dt>${name}</dt><dd><strong>${value}</strong> ${aside}<small>${note}</small></dd></div>`)}
    </dl>
    <${PairBars} test=${figures} />
  `;
}
