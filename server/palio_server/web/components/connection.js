/** Says that what the page shows may be old. It lies over the page, so that nothing moves when it comes and goes. */

import { html } from "../lib/html.js";

const WORDS = { lost: "connection lost, reconnecting …", connecting: "" };

export function Connection({ status }) {
  const words = WORDS[status] ?? "";
  return html`<div class="connection" role="status" data-status=${status}>${words && html`<p>${words}</p>`}</div>`;
}
