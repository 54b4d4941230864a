/** An address that leads nowhere. */

import { useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Empty } from "./empty.js";

/** @param {{id: string}} props */
export function Lost({ id }) {
  useTitle("Not here");
  return html`
    <h1>Page not found</h1>
    <${Empty} title=${`There is no page “${id}”.`}>
      <a href=${to("lobby")}>Go to the live matches</a>
    </${Empty}>
  `;
}
