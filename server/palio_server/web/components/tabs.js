/** Tabs: the parts of what is looked at, each with an address. The current one is scrolled into sight on a narrow page. */

import { useCurrentInSight } from "../lib/hooks.js";
import { html } from "../lib/html.js";

/**
 * @param {object} props
 * @param {string} props.label
 * @param {{word: string, name: string, address: string}[]} props.tabs
 * @param {string} props.here  the current one's word
 */
export function Tabs({ label, tabs, here }) {
  const frame = useCurrentInSight(here);
  return html`
    <nav class="tabs" aria-label=${label} ref=${frame}>
      <ul>
        ${tabs.map(({ word, name, address }) => html`<li key=${word}><a href=${address} aria-current=${word === here ? "page" : null}>${name}</a></li>`)}
      </ul>
    </nav>
  `;
}
