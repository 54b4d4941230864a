/** A cross-table of any size: the first twelve, and a search for the others. */

/** @import { Cell } from "./matrix.js" */
/** @import { EventOn } from "../lib/html.js" */

import { chosen } from "../lib/heat.js";
import { html, useState } from "../lib/html.js";
import { Matrix } from "./matrix.js";

const MOST = 12;
const LARGEST = 200; // when all are asked for: a browser takes seconds to draw 40,000 cells

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string[]} props.bots  in order
 * @param {Cell} props.cell
 * @param {{title: string, text: (bot: string) => string}[]} [props.totals]
 */
export function CrossTable({ label, bots, cell, totals = [] }) {
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const placed = bots.map((bot, index) => ({ bot, place: index + 1 }));
  const most = all ? Math.min(LARGEST, bots.length) : MOST;
  const { rows, cols } = chosen(placed, search, most);
  const note = search ? `${rows.length} of ${bots.length} bots` : `the first ${most} of ${bots.length} bots`;
  return html`
    ${
      bots.length > MOST &&
      html`
        <div class="find">
          <input type="search" aria-label="find a bot" placeholder="Find a bot" value=${search} onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setSearch(event.currentTarget.value)} />
          <button type="button" aria-pressed=${all} onClick=${() => setAll(!all)}>${bots.length > LARGEST ? `First ${LARGEST}` : `All ${bots.length}`}</button>
          <span class="quiet" role="status">${most === bots.length && !search ? "" : note}</span>
        </div>
      `
    }
    ${rows.length ? html`<${Matrix} label=${label} rows=${rows} cols=${cols} cell=${cell} totals=${totals} />` : html`<p class="quiet">No bot here is called “${search}”.</p>`}
  `;
}
