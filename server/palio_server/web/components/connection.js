/** Says that what the page shows may be old. It lies over the page, so that nothing moves when it comes and goes. */

/** @import { Status } from "../lib/follow.js" */

import { html } from "../lib/html.js";

/** @type {Partial<Record<Status, string>>} */
const WORDS = {
  lost: "connection lost, reconnecting …",
  stopping: "the server is stopping; this page goes on when it is back …",
};

/** @param {{status: Status, why: string}} props  `why` the server takes no viewer now, a sentence */
export function Connection({ status, why }) {
  const words = status === "refused" ? refusal(why) : WORDS[status];
  return html`<div class="connection" role="status" data-status=${status}>${words && html`<p>${words}</p>`}</div>`;
}

/**
 * The server's sentence, which ends with "try again in 30 s", and that nobody has to do so.
 *
 * @param {string} why
 */
export function refusal(why) {
  return `Not live now: ${why} (this page does so by itself).`;
}
