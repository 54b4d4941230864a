/** Rules as they are written, drawn element by element: no text becomes markup. */

/** @import { Block, Span } from "../lib/markdown.js" */

import { html, useMemo } from "../lib/html.js";
import { blocks } from "../lib/markdown.js";

/** @param {{text: string}} props */
export function Markdown({ text }) {
  const parts = useMemo(() => blocks(text), [text]);
  return html`${parts.map((part, index) => html`<${Part} key=${index} part=${part} />`)}`;
}

/** @param {{part: Block}} props */
function Part({ part }) {
  if (part.kind === "paragraph") return html`<p>${part.spans.map(drawn)}</p>`;
  if (part.kind === "list") return html`<ul>${part.items.map((item, index) => html`<li key=${index}>${item.map(drawn)}</li>`)}</ul>`;
  return html`
    <div class="scroll" role="region" aria-label="table" tabindex="0">
      <table>
        <caption class="unseen">${part.head[0]?.map(({ text }) => text).join("")}s</caption>
        <thead>
          <tr>${part.head.map((cell, index) => html`<th key=${index} scope="col">${cell.length ? cell.map(drawn) : html`<span class="unseen">remark</span>`}</th>`)}</tr>
        </thead>
        <tbody>
          ${part.rows.map((row, index) => html`<tr key=${index}>${row.map((cell, col) => html`<td key=${col}>${cell.map(drawn)}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

/**
 * @param {Span} span
 * @param {number} index
 */
function drawn({ kind, text, href }, index) {
  if (kind === "code") return html`<code key=${index}>${text}</code>`;
  if (kind === "bold") return html`<strong key=${index}>${text}</strong>`;
  if (kind === "link") return html`<a key=${index} href=${href}>${text}</a>`;
  return text;
}
