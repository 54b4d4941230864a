/** What stands at the foot of a match: its record, the board as text, how to show it elsewhere. */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { CopyButton } from "./copy_button.js";

/**
 * @param {object} props
 * @param {string} props.path  the match's identity, for an address
 * @param {boolean} props.over
 * @param {string} props.text  the board that is shown
 */
export function More({ path, over, text }) {
  const href = (/** @type {string} */ format) => `api/matches/${path}/record?format=${format}`;
  const page = new URL(`embed/${to("match", decodeURIComponent(path))}`, document.baseURI).href;
  const frame = `<iframe src="${page}" width="480" height="600" title="A match on Palio"></iframe>`;
  return html`
    <div class="more">
      ${
        over
          ? html`<p>The record: <a href=${href("text")}>as text</a>, <a href=${href("json")}>as JSON</a></p>`
          : html`<p>The record can be had when the match is over.</p>`
      }
      <details>
        <summary>The board as text</summary>
        <div class="copied-text"><pre tabindex="0" aria-label="the board as text">${text}</pre><${CopyButton} text=${text} label="copy the board as text" /></div>
      </details>
      <details>
        <summary>Show it on another page</summary>
        <div class="copied-text"><pre tabindex="0" aria-label="the frame for another page">${frame}</pre><${CopyButton} text=${frame} label="copy the frame for another page" /></div>
      </details>
    </div>
  `;
}
