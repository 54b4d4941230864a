/** What can be had of an event as a file. */

/** @import { TournamentDetail } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { Menu } from "./menu.js";

/** @type {[format: string, name: string, hint: string][]} */
const FORMATS = [
  ["json", "JSON", "all of it, for programs"],
  ["csv", "CSV", "the standings, for a spreadsheet"],
  ["md", "Markdown", "the cross-table"],
  ["trf", "TRF", "for pairing programs"],
  ["text", "Text", "the matches"],
];

/** @type {Record<string, string>} */
const ENDINGS = { text: "txt" };

/** @param {{event: TournamentDetail, duel: boolean}} props  `duel`: whether matches are of two, which is all that TRF knows */
export function Exports({ event: { id }, duel }) {
  const offered = FORMATS.filter(([name]) => name !== "trf" || duel);
  return html`
    <${Menu} label="Export">
      <ul>
        ${offered.map(([name, title, hint]) => html`<li key=${name}><a href=${`api/tournaments/${id}/export?format=${name}`} download=${`tournament-${id}.${ENDINGS[name] ?? name}`}>${title} <small>${hint}</small></a></li>`)}
      </ul>
    </${Menu}>
  `;
}
