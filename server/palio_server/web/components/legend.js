/** What the marks on a board mean, each drawn on a cell. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";
import { Shape } from "./marks.js";

/** @param {number} seat */
const pawn = (seat) => html`
  <g class=${`mark ${seat ? "seat-white" : "seat-black"}`} transform="translate(50 50)">
    <${Shape} mark=${{ shape: "pawn", seat, row: 0, col: 0, rows: 1, cols: 1, text: "" }} />
  </g>
`;

/** @type {[string, boolean, Renderable][]} */
const MARKS = [
  ["last move", false, html`<path class="last" d="M0 0h100v100H0z" />`],
  ["picked", true, html`${pawn(1)}<path class="legend-picked" d="M4 4h92v92H4z" />`],
  ["can go here", false, html`<circle class="legend-dot" cx="50" cy="50" r="17" />`],
  ["can capture", true, html`${pawn(0)}<circle class="legend-ring" cx="50" cy="50" r="43" />`],
  ["keyboard cursor", false, html`<path class="legend-cursor" d="M9 9h82v82H9z" />`],
  ["refused", false, html`<path class="legend-cross" d="M28 28l44 44M72 28L28 72" />`],
];

export function Legend() {
  return html`
    <ul class="legend">
      ${MARKS.map(
        ([name, shaded, drawing]) => html`
          <li key=${name}>
            <svg class="board" viewBox="0 0 100 100" aria-hidden="true"><path class=${shaded ? "dark" : "light"} d="M0 0h100v100H0z" />${drawing}</svg>
            ${name}
          </li>
        `,
      )}
    </ul>
  `;
}
