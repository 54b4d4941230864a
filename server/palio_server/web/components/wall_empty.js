/** The hall's screen with nothing on it: what would be here, and how it comes about. */

/** @import { Asked } from "../lib/wall_address.js" */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Empty } from "./empty.js";

/** @param {{known: boolean, wish: Asked}} props */
export function WallEmpty({ known, wish }) {
  if (!known) return html`<div class="tv-empty tv-loading" aria-busy="true"><p>Looking for matches …</p></div>`;
  const chosen = wish.event || wish.game || wish.bot;
  return html`
    <div class="tv-empty">
      <${Empty} title=${chosen ? "None of these matches is being played." : "No match is being played."}>
        <p>The next one that begins is shown here, large, and up to sixteen others beside it.</p>
        <p>${chosen ? html`<a href=${to("tv")}>Show all matches</a>` : html`<a href=${to("lobby")}>Start a match on the page</a>`}</p>
      </${Empty}>
    </div>
  `;
}
