/** A bot's name wherever it stands: its banner, and the way to its page. */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Face } from "./face.js";

/** @param {{name: string, plain?: boolean}} props  `plain`: without the banner, where there are many in little room */
export function BotLink({ name, plain = false }) {
  return html`<a class="bot-link" href=${to("bots", name)}>${!plain && html`<${Face} name=${name} />`}<span>${name}</span></a>`;
}
