/** How a bot's rated matches ended, as one bar and its legend; each word leads to the matches. */

/** @import { OutcomeCount } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { faultsOf, partsOf, percent } from "../lib/outcomes.js";
import { asking, to } from "../lib/router.js";
import { plural } from "../lib/words.js";

/** @param {{counts: OutcomeCount[], bot: string, game: string}} props */
export function OutcomeBar({ counts, bot, game }) {
  const parts = partsOf(counts);
  const total = parts.reduce((sum, { games }) => sum + games, 0);
  if (!total) return html`<p class="quiet">None has ended yet.</p>`;
  const faults = faultsOf(counts);
  const spoken = `of ${plural(total, "game")}: ${parts.map(({ words, games }) => `${games} ${words}`).join(", ")}`;
  return html`
    <div class="outcomes" role="img" aria-label=${spoken}>
      ${parts.map(({ outcome, games }) => html`<i key=${outcome} data-outcome=${outcome} ...${{ style: { flexGrow: games } }}></i>`)}
    </div>
    <ul class="outcome-key">
      ${parts.map(
        ({ outcome, words, games, share }) => html`
          <li key=${outcome}>
            <i data-outcome=${outcome}></i>
            <a href=${asking(to("results"), { bot, game, outcome })}>${words}</a> <b>${games}</b> <small>${percent(share)}</small>
          </li>
        `,
      )}
    </ul>
    <p class="note">
      ${plural(total, "rated game")} · ${faults ? html`<a href=${asking(to("results"), { bot, game, outcome: "fault" })}>${faults} ended by a fault of its own</a>, ${percent(faults / total)}` : "none ended by a fault of its own"}
    </p>
  `;
}
