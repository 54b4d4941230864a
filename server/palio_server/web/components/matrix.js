/**
 * A table of who scored what against whom, as a heat map: the better the row's bot did, the warmer its cell.
 *
 * @typedef {(row: string, col: string) => {text: string, title: string, share: number}|null} Cell  `share` in 0..1
 * @typedef {{bot: string, place: number}} Placed
 */

import { heat } from "../lib/heat.js";
import { html } from "../lib/html.js";
import { BotLink } from "./bot_name.js";
import { Wide } from "./wide.js";

/**
 * @param {object} props
 * @param {string} props.label
 * @param {Placed[]} props.rows
 * @param {Placed[]} props.cols
 * @param {Cell} props.cell
 * @param {{title: string, text: (bot: string) => string}[]} [props.totals]  columns after the square
 */
export function Matrix({ label, rows, cols, cell, totals = [] }) {
  return html`
    <${Wide} label=${label}>
      <table class="matrix">
        <caption class="unseen">${label}: the row's bot against the column's</caption>
        <thead>
          <tr>
            <th scope="col" class="num"><abbr title="rank">#</abbr></th>
            <th scope="col">Bot</th>
            ${cols.map(({ bot, place }) => html`<th key=${bot} scope="col" class="num"><abbr title=${bot}>${place}</abbr></th>`)}
            ${totals.map(({ title }) => html`<th key=${`total ${title}`} scope="col" class="num">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ bot, place }) => html`
              <tr key=${bot}>
                <td class="num rank">${place}</td>
                <th scope="row"><${BotLink} name=${bot} /></th>
                ${cols.map((col) => square(bot, col.bot, cell))}
                ${totals.map(({ title, text }) => html`<td key=${`total ${title}`} class="num total">${text(bot)}</td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </${Wide}>
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
  return html`<td key=${col} class="num" data-heat=${heat(found.share)} title=${found.title}>${found.text}</td>`;
}
