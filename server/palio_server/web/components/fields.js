/** Parts of a form. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { GameItem, OptionItem } from "../types/wire.js" */
/** @import { VNode } from "../vendor/preact.js" */

import { cloneElement } from "../vendor/preact.js";
import { html, useId, useRef, useState } from "../lib/html.js";
import { isList } from "../lib/listed.js";
import { plain } from "../lib/words.js";

/**
 * An input with its label and, if there is something to say, a hint; what is wrong with it stands in the hint's place.
 *
 * @param {{label: string, hint?: string, fault?: string, children: VNode|VNode[]}} props  the first child is the input
 */
export function Field({ label, hint, fault, children }) {
  const id = useId();
  const [input, ...beside] = Array.isArray(children) ? children : [children];
  return html`
    <div class="field" data-wrong=${fault ? "" : null}>
      <label for=${id}>${label}</label>
      ${cloneElement(input, { id, "aria-describedby": hint || fault ? `${id}h` : null, "aria-invalid": fault ? "true" : null })}
      ${beside}
      ${fault ? html`<p class="field-error" role="alert" id=${`${id}h`}>${fault}</p>` : hint && html`<small id=${`${id}h`}>${hint}</small>`}
    </div>
  `;
}

/**
 * What most matches leave as it is, folded away: the opening or the instance, and the options of the game.
 *
 * @param {{game: GameItem, fault?: (name: string) => string}} props  `fault`: what is wrong with the field of that name
 */
export function Options({ game, fault = () => "" }) {
  const listed = game.options.filter(isList);
  const wrong = game.options.some(({ name }) => fault(`option ${name}`)) || fault("opening_plies") || fault("seed");
  return html`
    <details class="options" open=${wrong ? true : undefined}>
      <summary>More options</summary>
      ${game.kind === "race" ? html`<${OfRace} fault=${fault} />` : html`<${OfTable} fault=${fault} />`}
      ${game.options.filter((option) => !isList(option)).map((option) => html`<${Option} key=${option.name} option=${option} fault=${fault(`option ${option.name}`)} />`)}
      ${
        listed.length > 0 &&
        html`
          <details class="options" open=${listed.some(({ name }) => fault(`option ${name}`)) ? true : undefined}>
            <summary>An instance of your own</summary>
            ${listed.map((option) => html`<${Listed} key=${option.name} option=${option} fault=${fault(`option ${option.name}`)} />`)}
          </details>
        `
      }
    </details>
  `;
}

/** @param {{fault: (name: string) => string}} props */
function OfTable({ fault }) {
  return html`
    <${Field} label="Random opening" hint="plies that are played before the clocks run" fault=${fault("opening_plies")}>
      <input name="opening_plies" type="number" min="0" max="100" placeholder="0" />
    </${Field}>
  `;
}

/** @param {{fault: (name: string) => string}} props */
function OfRace({ fault }) {
  return html`
    <${Field} label="Seed" hint="of the instance: the same number draws the same one" fault=${fault("seed")}>
      <input name="seed" type="number" min="0" max=${2 ** 53 - 1} placeholder="any" />
    </${Field}>
    <label class="check"><input type="checkbox" name="by_time" /> of equal costs the faster one is ahead</label>
  `;
}

/**
 * A list of numbers, from a file or pasted: one line each, or as JSON.
 *
 * @param {{option: OptionItem, fault: string}} props
 */
function Listed({ option: { name, description }, fault }) {
  const [text, setText] = useState("");
  const read = async (/** @type {EventOn<HTMLInputElement>} */ event) => {
    const file = event.currentTarget.files?.[0];
    if (file) setText(await file.text());
  };
  return html`
    <${Field} label=${plain(name)} hint=${`${description}; numbers with spaces or commas between them, a line each`} fault=${fault}>
      <textarea name=${`option ${name}`} rows="3" value=${text} autocomplete="off" spellcheck=${false} onInput=${(/** @type {EventOn<HTMLTextAreaElement>} */ event) => setText(event.currentTarget.value)}></textarea>
    </${Field}>
    <label class="file">from a file <input type="file" accept=".txt,.csv,.tsp,.json" onChange=${read} /></label>
  `;
}

/** @param {{option: OptionItem, fault: string}} props */
export function Option({ option, fault }) {
  const { name, type, default: usual, choices, description, minimum, maximum, examples } = option;
  const field = `option ${name}`;
  const shown = usual === null || usual === undefined ? "" : String(usual);
  const bounds = type === "int" && minimum !== null && maximum !== null && minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : "";
  const input = choices?.length
    ? html`<select name=${field}><option value="">${shown}</option>${choices
        .filter((choice) => String(choice) !== shown)
        .map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}</select>`
    : examples?.length
      ? null
      : html`<input name=${field} placeholder=${shown} autocomplete="off" ...${numeric(type, minimum, maximum)} />`;
  const hint = `${description}${bounds}`;
  if (!input) return html`<${Exemplified} option=${option} shown=${shown} hint=${hint} fault=${fault} />`;
  return html`<${Field} label=${plain(name)} hint=${hint} fault=${fault}>${input}</${Field}>`;
}

/**
 * An option with its usual values as buttons beside the input, which takes any other.
 *
 * @param {{option: OptionItem, shown: string, hint: string, fault: string}} props  `shown`: the default, as text
 */
function Exemplified({ option: { name, type, minimum, maximum, examples }, shown, hint, fault }) {
  const [text, setText] = useState("");
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  const choose = (/** @type {string} */ value) => {
    if (!input.current) return;
    input.current.value = value;
    input.current.dispatchEvent(new Event("input", { bubbles: true })); // the form hears of it, as of a typed value
  };
  return html`
    <${Field} label=${plain(name)} hint=${hint} fault=${fault}>
      <input name=${`option ${name}`} ref=${input} value=${text} placeholder=${shown} autocomplete="off" onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setText(event.currentTarget.value)} ...${numeric(type, minimum, maximum)} />
      <span class="examples" role="group" aria-label=${`usual: ${plain(name)}`}>
        ${(examples ?? []).map(String).map((each) => html`<button key=${each} type="button" aria-pressed=${String(each === (text || shown))} onClick=${() => choose(each === shown ? "" : each)}>${each}</button>`)}
      </span>
    </${Field}>
  `;
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
