/** Which of the bots that are here take part in an event: all, unless somebody says otherwise; and others by name. */

/** @import { BotItem } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { html, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";

/** @param {{players: BotItem[], fault: string}} props */
export function TakePart({ players, fault }) {
  const [out, setOut] = useState(/** @type {string[]} */ ([]));
  const [more, setMore] = useState("");
  const names = players.map(({ name }) => name);
  const others = [...new Set(more.split(/[\s,]+/).filter((name) => name && !names.includes(name)))];
  const count = names.filter((name) => !out.includes(name)).length + others.length;
  const toggle = (/** @type {string} */ name) => setOut(out.includes(name) ? out.filter((other) => other !== name) : [...out, name]);
  return html`
    <fieldset class="entrants" aria-describedby=${fault ? "who-fault" : null}>
      <legend>Bots <small>${plural(count, "bot")}</small></legend>
      ${names.map(
        (name) => html`
          <label key=${name} class="check">
            <input type="checkbox" name="bot" value=${name} checked=${!out.includes(name)} onChange=${() => toggle(name)} />
            <span class="bot">${name}</span>
          </label>
        `,
      )}
      ${!names.length && html`<small>No bot that plays this game is connected.</small>`}
    </fieldset>
    <div class="field">
      <label for="others">Others, by name</label>
      <input id="others" placeholder="ann, bob" value=${more} onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setMore(event.currentTarget.value)} aria-describedby="others-hint" autocomplete="off" spellcheck=${false} />
      <small id="others-hint">those that will connect later</small>
      ${others.map((name) => html`<input key=${name} type="hidden" name="bot" value=${name} aria-label=${name} />`)}
      ${fault && html`<p class="field-error" role="alert" id="who-fault">${fault}</p>`}
    </div>
  `;
}
