/** Who made what against whom in an event. */

/** @import { PartProps } from "./tournament.js" */

import { byBot } from "../lib/cells.js";
import { html, useMemo } from "../lib/html.js";
import { points } from "../lib/words.js";
import { CrossTable } from "./cross_table.js";

/** @param {PartProps} props */
export function CrossPart({ event: { standings } }) {
  const lines = useMemo(() => byBot(standings), [standings]);
  const cell = (/** @type {string} */ row, /** @type {string} */ col) => {
    const score = lines.get(row)?.against[col];
    if (!score) return null;
    const { wins, draws, losses } = score;
    const [made, games] = [wins + draws / 2, wins + draws + losses];
    if (!games) return null;
    return { text: games === 1 ? points(made) : `${points(made)}–${points(games - made)}`, title: `${row} against ${col}: +${wins} =${draws} −${losses}`, share: made / games };
  };
  const totals = [
    { title: "Points", text: (/** @type {string} */ bot) => points(lines.get(bot)?.points ?? 0) },
    { title: "Played", text: (/** @type {string} */ bot) => String(lines.get(bot)?.played ?? 0) },
  ];
  return html`
    <section aria-labelledby="cross">
      <h2 id="cross">Cross-table</h2>
      <${CrossTable} label="cross-table" bots=${standings.map(({ bot }) => bot)} cell=${cell} totals=${totals} />
      <p class="note">The row's bot against the column's, by place: points for it and against it; one number where they have met in one game only. Green: more than half, red: less.</p>
    </section>
  `;
}
