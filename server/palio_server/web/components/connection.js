/** Says that what the page shows may be old. It lies over the page, so that nothing moves when it comes and goes. */

/** @import { Status } from "../lib/follow.js" */

import { html } from "../lib/html.js";

const LOST = "connection lost, reconnecting …";

/** @param {{status: Status}} props */
export function Connection({ status }) {
  return html`<div class="connection" role="status" data-status=${status}>${status === "lost" && html`<p>${LOST}</p>`}</div>`;
}
