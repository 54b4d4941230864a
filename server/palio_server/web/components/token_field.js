/** The token that a server may want, kept in this tab only. */

import { keepToken, token } from "../lib/api.js";
import { html } from "../lib/html.js";
import { Field } from "./fields.js";

/** @import { EventOn } from "../lib/html.js" */

export function Token() {
  const keep = (/** @type {EventOn<HTMLInputElement>} */ event) => keepToken(event.currentTarget.value.trim());
  return html`
    <${Field} label="Token" hint="kept in this tab only">
      <input name="token" type="password" defaultValue=${token()} autocomplete="off" onInput=${keep} />
    </${Field}>
  `;
}
