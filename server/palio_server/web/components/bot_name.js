/** A bot's name wherever it stands. It gives way to numbers beside it, with dots; its title has the whole of it. */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Face } from "./face.js";

/** @param {{name: string|undefined}} props */
export function BotName({ name }) {
  return html`<span class="bot" title=${name}>${name}</span>`;
}

/**
 * The name as the way to the bot's page, with its banner.
 *
 * @param {{name: string, plain?: boolean}} props  `plain`: without the banner, where there are many in little room
 */
export function BotLink({ name, plain = false }) {
  return html`<a class="bot-link" href=${to("bots", name)}>${!plain && html`<${Face} name=${name} />`}<${BotName} name=${name} /></a>`;
}
