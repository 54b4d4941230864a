/** What is shown where there is nothing yet, and what to do next. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";
import { Campo } from "./frame.js";

/** @param {{title: string, children?: Renderable}} props */
export function Empty({ title, children }) {
  return html`
    <div class="empty">
      <${Campo} />
      <p class="empty-title">${title}</p>
      <div class="empty-next">${children}</div>
    </div>
  `;
}

/**
 * A request that failed, in its own words, and the way to repeat it.
 *
 * @param {{error: Error, retry?: () => void}} props
 */
export function Failure({ error, retry }) {
  return html`
    <div class="failure" role="alert">
      <p>${error.message}</p>
      ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
    </div>
  `;
}
