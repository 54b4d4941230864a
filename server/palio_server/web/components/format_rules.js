/** The rules of a format that can be chosen, with what holds if nothing is. */

/** @import { FormatItem } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { capital, plain } from "../lib/words.js";
import { Field } from "./fields.js";

/** @type {Record<string, string[]>} */
const CHOICES = { scoring: ["games", "encounters"], model: ["normalized", "logistic", "bayesian"] };

/** @type {Record<string, string>} */
const HINTS = {
  rounds: "in all",
  games_per_encounter: "of one pairing",
  scoring: "what counts",
  tie_breaks: "the first one decides, as buchholz, wins",
};

const FIRST = ["rounds"]; // shown at once; the others are folded away

/** @param {{format: FormatItem, fault: (name: string) => string}} props */
export function FormatRules({ format: { rules }, fault }) {
  const names = Object.keys(rules);
  const shown = names.filter((name) => FIRST.includes(name));
  const folded = names.filter((name) => !FIRST.includes(name));
  const field = (/** @type {string} */ name) => html`<${Rule} key=${name} name=${name} usual=${rules[name]} fault=${fault(`rule ${name}`)} />`;
  return html`
    ${shown.map(field)}
    ${
      folded.length > 0 &&
      html`<details class="options" open=${folded.some((name) => fault(`rule ${name}`)) || null}>
        <summary>Rules of the format</summary>
        ${folded.map(field)}
      </details>`
    }
  `;
}

/** @param {{name: string, usual: unknown, fault: string}} props */
function Rule({ name, usual, fault }) {
  const field = `rule ${name}`;
  if (typeof usual === "boolean") return html`<label class="check"><input type="checkbox" name=${field} defaultChecked=${usual} /> ${capital(plain(name))}</label>`;
  const shown = usual === null || (Array.isArray(usual) && !usual.length) ? "as the format has it" : Array.isArray(usual) ? usual.join(", ") : String(usual);
  const choices = CHOICES[name];
  const input = choices
    ? html`<select name=${field} defaultValue=${String(usual)}>${choices.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}</select>`
    : html`<input name=${field} placeholder=${shown} inputmode=${typeof usual === "number" || name === "rounds" ? "decimal" : null} autocomplete="off" spellcheck=${false} />`;
  return html`<${Field} label=${plain(name)} hint=${HINTS[name]} fault=${fault}>${input}</${Field}>`;
}
