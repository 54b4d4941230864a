/** What stands at the foot of a match: its record, and the board as text. */

import { html } from "../lib/html.js";

/**
 * @param {object} props
 * @param {string} props.path  the match's identity, for an address
 * @param {boolean} props.over
 * @param {string} props.text  the board that is shown
 */
export function More({ path, over, text }) {
  const href = (/** @type {string} */ format) => `api/matches/${path}/record?format=${format}`;
  return html`
    <div class="more">
      ${
        over
          ? html`<p>The record: <a href=${href("text")}>as text</a>, <a href=${href("json")}>as JSON</a></p>`
          : html`<p>The record can be had when the match is over.</p>`
      }
      <details>
        <summary>The board as text</summary>
        <pre tabindex="0" aria-label="the board as text">${text}</pre>
      </details>
    </div>
  `;
}
