/** Which of the bots that are here take part in a race: all of them, unless somebody says otherwise. */

/** @import { BotItem } from "../types/wire.js" */

import { html, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";
import { BotName } from "./bot_name.js";

const MOST = 64; // entrants of one race, as the server has it

/** @param {{players: BotItem[]}} props */
export function Entrants({ players }) {
  const [leftOut, setLeftOut] = useState(() => /** @type {Set<string>} */ (new Set()));
  const names = players.map(({ name }) => name);
  const racing = names.filter((name) => !leftOut.has(name)).slice(0, MOST);
  const toggle = (/** @type {string} */ name) => setLeftOut(new Set(racing.includes(name) ? [...leftOut, name] : [...leftOut].filter((other) => other !== name)));
  return html`
    <fieldset class="entrants">
      <legend>Entrants</legend>
      ${names.map(
        (name) => html`
          <label key=${name} class="check">
            <input
              type="checkbox"
              name="bot"
              value=${name}
              checked=${racing.includes(name)}
              disabled=${!racing.includes(name) && racing.length >= MOST}
              required=${racing.length === 0}
              onChange=${() => toggle(name)}
            />
            <${BotName} name=${name} />
          </label>
        `,
      )}
      <small>${names.length ? `${plural(racing.length, "entrant")}, all on the same instance` : "no bot plays this game yet"}</small>
    </fieldset>
  `;
}
