/** Parts of a form. */

/** @import { GameItem, OptionItem } from "../types/wire.js" */
/** @import { VNode } from "../vendor/preact.js" */

import { cloneElement } from "../vendor/preact.js";
import { html, useId } from "../lib/html.js";
import { plain } from "../lib/words.js";

/**
 * An input with its label and, if there is something to say, a hint; what is wrong with it stands in the hint's place.
 *
 * @param {{label: string, hint?: string, fault?: string, children: VNode|VNode[]}} props
 */
export function Field({ label, hint, fault, children }) {
  const id = useId();
  const input = Array.isArray(children) ? children[0] : children;
  return html`
    <div class="field" data-wrong=${fault ? "" : null}>
      <label for=${id}>${label}</label>
      ${cloneElement(input, { id, "aria-describedby": hint || fault ? `${id}h` : null, "aria-invalid": fault ? "true" : null })}
      ${fault ? html`<p class="field-error" role="alert" id=${`${id}h`}>${fault}</p>` : hint && html`<small id=${`${id}h`}>${hint}</small>`}
    </div>
  `;
}

/**
 * What most matches leave as it is, folded away: the opening or the instance, and the options of the game.
 *
 * @param {{game: GameItem}} props
 */
export function Options({ game }) {
  return html`
    <details class="options">
      <summary>More options</summary>
      ${game.kind === "race" ? html`<${OfRace} />` : html`<${OfTable} />`}
      ${game.options.map((option) => html`<${Option} key=${option.name} option=${option} />`)}
    </details>
  `;
}

function OfTable() {
  return html`
    <${Field} label="Random opening" hint="plies that are played before the clocks run">
      <input name="opening_plies" type="number" min="0" max="100" placeholder="0" />
    </${Field}>
  `;
}

function OfRace() {
  return html`
    <${Field} label="Seed" hint="of the instance: the same number draws the same one">
      <input name="seed" type="number" min="0" max=${2 ** 53 - 1} placeholder="any" />
    </${Field}>
    <label class="check"><input type="checkbox" name="by_time" /> of equal costs the faster one is ahead</label>
  `;
}

/** @param {{option: OptionItem}} props */
function Option({ option: { name, type, default: usual, choices, description, minimum, maximum } }) {
  const field = `option ${name}`;
  const shown = usual === null || usual === undefined ? "" : String(usual);
  const input = choices?.length
    ? html`<select name=${field}><option value="">${shown}</option>${choices
        .filter((choice) => String(choice) !== shown)
        .map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}</select>`
    : html`<input name=${field} placeholder=${shown} autocomplete="off" ...${numeric(type, minimum, maximum)} />`;
  return html`<${Field} label=${plain(name)} hint=${description}>${input}</${Field}>`;
}

/**
 * @param {OptionItem["type"]} type
 * @param {number|null} minimum
 * @param {number|null} maximum
 */
function numeric(type, minimum, maximum) {
  if (type !== "int" && type !== "float") return { type: "text" };
  return { type: "number", step: type === "int" ? 1 : "any", min: minimum, max: maximum };
}
