/** Which of the bots that are here take part in an event: those that are ticked, or all by one button; and others by name. */

/** @import { BotItem } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { html, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";
import { BotName } from "./bot_name.js";

/** @param {{players: BotItem[], fault: string}} props */
export function TakePart({ players, fault }) {
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [more, setMore] = useState("");
  const names = players.map(({ name }) => name);
  const others = [...new Set(more.split(/[\s,]+/).filter((name) => name && !names.includes(name)))];
  const ticked = names.filter((name) => chosen.includes(name));
  const toggle = (/** @type {string} */ name) => setChosen(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return html`
    <fieldset class="entrants" aria-describedby=${fault ? "who-fault" : null}>
      <legend>Bots <small>${plural(ticked.length + others.length, "bot")}</small></legend>
      ${names.length > 1 && html`<p><button type="button" class="small" onClick=${() => setChosen(ticked.length === names.length ? [] : names)}>${ticked.length === names.length ? "None of them" : `All ${names.length}`}</button></p>`}
      ${names.map(
        (name) => html`
          <label key=${name} class="check">
            <input type="checkbox" name="bot" value=${name} checked=${chosen.includes(name)} onChange=${() => toggle(name)} />
            <${BotName} name=${name} />
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
