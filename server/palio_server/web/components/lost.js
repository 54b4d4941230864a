/** An address that leads nowhere. */

import { useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { Empty } from "./empty.js";

export function Lost({ id }) {
  useTitle("Not here");
  return html`
    <h1>Nothing stands here</h1>
    <${Empty} title=${`There is no view “${id}”.`}>
      <a href="#/">Go to the live matches</a>
    <//>
  `;
}
