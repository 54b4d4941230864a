/** The panel of a bot that asks a language model: what that costs. */

/** @import { GameOf } from "../types/wire.js" */

import { duration } from "../lib/clock.js";
import { html } from "../lib/html.js";
import { money, tokens } from "../lib/model_costs.js";

/** @param {{game: GameOf}} props */
export function ModelCosts({ game: { tokens_in: read, tokens_out: written, cost, latency_ms: latency, cost_total: total } }) {
  const counted = tokens(read, written);
  const lines = [
    counted && `${counted} a move, read and written`,
    typeof cost === "number" && typeof total === "number" && `${money(cost)} a game, ${money(total)} in all`,
    typeof latency === "number" && `${duration(latency)} until it has answered, a move`,
  ].filter(Boolean);
  if (!lines.length) return null;
  return html`
    <section class="panel model-costs" aria-labelledby="model-costs">
      <h2 id="model-costs">Language model</h2>
      ${lines.map((line) => html`<p key=${line}>${line}</p>`)}
    </section>
  `;
}
