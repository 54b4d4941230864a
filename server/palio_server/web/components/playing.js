/** The boards of an event that are in play. */

/** @import { Card as Shown } from "../lib/lobby_fold.js" */

import { html } from "../lib/html.js";
import { Card } from "./card.js";

const MOST = 16;

/** @param {{cards: Shown[], where?: (card: Shown) => string}} props  `where`: what is said of each, "semi-final 2" */
export function Playing({ cards, where = () => "" }) {
  if (!cards.length) return null;
  return html`
    <section aria-labelledby="playing">
      <h2 id="playing">${cards.some(({ summary }) => !summary.result) ? "Being played" : "Just finished"}</h2>
      <ul class="cards">${cards.slice(0, MOST).map((card) => html`<${Card} key=${card.summary.match} card=${card} where=${where(card)} />`)}</ul>
      ${cards.length > MOST && html`<p class="note">The first ${MOST} boards.</p>`}
    </section>
  `;
}
