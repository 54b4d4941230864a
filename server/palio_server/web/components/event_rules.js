/** The rules of an event in words: how it is played, what counts, what splits equals. */

/** @import { PartProps } from "./tournament.js" */

import { ruleFacts, signed } from "../lib/event_words.js";
import { timeOf } from "../lib/event_time.js";
import { html } from "../lib/html.js";
import { plural } from "../lib/words.js";

/** @param {PartProps} props */
export function RulesPart({ event }) {
  const { title, rules, settings, tie_breaks: breaks, rounds, first_move_advantage: first } = event;
  const told = new Set(["time", "tc", "st", "game", "worker"]); // the last is a name that programs read
  const facts = [
    ["Format", title],
    ["Time", timeOf(settings) || "no limit"],
    ...(rounds === null ? [] : [["Rounds", plural(rounds, "round")]]),
    ...ruleFacts({ ...rules, tie_breaks: breaks, rounds: null }),
    ...(first === null ? [] : [["Moving first is worth", `${signed(first)} Elo, by the results so far`]]),
  ];
  const set = ruleFacts(Object.fromEntries(Object.entries(settings).filter(([name]) => !told.has(name))));
  return html`
    <section aria-labelledby="rules">
      <h2 id="rules">Rules of the event</h2>
      <${Facts} facts=${facts} />
    </section>
    ${set.length > 0 && html`<section aria-labelledby="settings"><h2 id="settings">How its matches are set up</h2><${Facts} facts=${set} /></section>`}
  `;
}

/** @param {{facts: string[][]}} props */
function Facts({ facts }) {
  return html`<dl class="rule-facts">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
