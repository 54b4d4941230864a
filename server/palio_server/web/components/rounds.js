/** A round and its pairings; the one in play unless the address names another. */

/** @import { EncounterItem } from "../types/wire.js" */
/** @import { PartProps } from "./tournament.js" */

import { useJson } from "../lib/hooks.js";
import { roundShown } from "../lib/event_rounds.js";
import { html, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { plural } from "../lib/words.js";
import { Empty, Failure } from "./empty.js";
import { Byes, Encounter } from "./encounter.js";

const MOST = 60; // pairings drawn before somebody asks for all

/** @param {PartProps} props */
export function RoundsPart({ event, version, cards, part }) {
  const asked = /^[1-9]\d*$/.test(part) ? Number(part) : roundShown(event);
  const shown = Math.min(asked, event.round);
  const { value, error, refresh } = useJson(shown ? `tournaments/${event.id}/rounds/${shown}` : null, version);
  const [all, setAll] = useState(false);
  if (!shown) return html`<${Empty} title="No round is paired yet."><p>The first pairings stand here when the event starts.</p></${Empty}>`;
  const step = (/** @type {number} */ number, /** @type {string} */ sign, /** @type {string} */ label) =>
    number >= 1 && number <= event.round
      ? html`<a class="turn" href=${to("tournaments", event.id, "rounds", number)} aria-label=${label}>${sign}</a>`
      : html`<span class="turn" aria-hidden="true">${sign}</span>`;
  const played = (value?.encounters ?? []).filter(({ kind }) => kind === "played");
  const byes = (value?.encounters ?? []).filter(({ kind }) => kind !== "played");
  return html`
    <section aria-labelledby="round">
      <div class="section-head">
        <h2 id="round">Round ${shown}${event.rounds ? html`<span class="h1-aside"> of ${event.rounds}</span>` : ""}</h2>
        <span class="turns">
          <span class="quiet">${value && overWords(played)}</span>
          ${step(shown - 1, "‹", "the round before")}${step(shown + 1, "›", "the next round")}
        </span>
      </div>
      ${error && html`<${Failure} error=${error} retry=${refresh} />`}
      ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
      <ol class="encounters">
        ${(all ? played : played.slice(0, MOST)).map((each) => html`<${Encounter} key=${each.number} event=${event} encounter=${each} cards=${cards} />`)}
      </ol>
      ${!all && played.length > MOST && html`<button type="button" class="more-button" onClick=${() => setAll(true)}>All ${played.length} pairings</button>`}
      <${Byes} encounters=${byes} />
    </section>
  `;
}

/** @param {EncounterItem[]} encounters */
function overWords(encounters) {
  const over = encounters.filter((each) => each.over).length;
  return over === encounters.length ? "over" : `${over} of ${plural(encounters.length, "board")} finished`;
}
