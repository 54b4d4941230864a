/**
 * A square table of who scored what against whom; rows and columns in the same order.
 *
 * @typedef {(row: string, col: string) => {text: string, title: string, share: number}|null} Cell  `share` in 0..1
 */

import { html } from "../lib/html.js";

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string[]} props.bots  in order
 * @param {Cell} props.cell
 * @param {{title: string, text: (bot: string) => string}[]} [props.totals]  columns after the square
 */
export function Matrix({ label, bots, cell, totals = [] }) {
  return html`
    <div class="scroll" role="region" aria-label=${label} tabindex="0">
      <table class="matrix">
        <caption class="unseen">${label}: the row's bot against the column's</caption>
        <thead>
          <tr>
            <th scope="col" class="num"><abbr title="rank">#</abbr></th>
            <th scope="col">Bot</th>
            ${bots.map((bot, index) => html`<th key=${bot} scope="col" class="num"><abbr title=${bot}>${index + 1}</abbr></th>`)}
            ${totals.map(({ title }) => html`<th key=${`total ${title}`} scope="col" class="num">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${bots.map(
            (row, index) => html`
              <tr key=${row}>
                <td class="num rank">${index + 1}</td>
                <th scope="row" class="bot">${row}</th>
                ${bots.map((col) => square(row, col, cell))}
                ${totals.map(({ title, text }) => html`<td key=${`total ${title}`} class="num total">${text(row)}</td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/**
 * @param {string} row
 * @param {string} col
 * @param {Cell} cell
 */
function square(row, col, cell) {
  if (row === col) return html`<td key=${col} class="num self"><span class="unseen">itself</span></td>`;
  const found = cell(row, col);
  if (!found) return html`<td key=${col} class="num none"><span aria-label="not played">·</span></td>`;
  const kind = found.share > 0.5 ? "ahead" : found.share < 0.5 ? "behind" : "level";
  return html`<td key=${col} class=${`num ${kind}`} title=${found.title}>${found.text}</td>`;
}
