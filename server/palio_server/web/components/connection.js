/** Says that what the page shows may be old. It lies over the page, so that nothing moves when it comes and goes. */

/** @import { Status } from "../lib/follow.js" */

import { html } from "../lib/html.js";

/** @type {Partial<Record<Status, string>>} */
const WORDS = {
  lost: "connection lost, reconnecting …",
  stopping: "the server is stopping; this page goes on when it is back …",
};

/** @param {{status: Status}} props */
export function Connection({ status }) {
  return html`<div class="connection" role="status" data-status=${status}>${WORDS[status] && html`<p>${WORDS[status]}</p>`}</div>`;
}
