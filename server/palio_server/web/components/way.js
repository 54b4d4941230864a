/** The way of one bot through a bracket, match by match. */

/** @import { Bracket, BracketMatch } from "../types/wire.js" */

import { isOpen, wayOf } from "../lib/bracket.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { capital, points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";

/** @param {{event: number, bracket: Bracket, bot: string}} props */
export function Way({ event, bracket, bot }) {
  return html`
    <section class="panel bot-way" aria-labelledby="way">
      <h2 id="way">The way of <${BotLink} name=${bot} plain /></h2>
      <ol>
        ${wayOf(bracket, bot).map((match) => html`<li key=${match.id}><strong class="num">${result(match, bot)}</strong> <span><a href=${to("tournaments", event, "rounds", roundOf(bracket, match))}>${capital(match.id)}</a>${words(match, bot)}</span></li>`)}
      </ol>
    </section>
  `;
}

/**
 * The number of the round in which a match is played; that for the third place goes with the final.
 *
 * @param {Bracket} bracket
 * @param {BracketMatch} match
 */
function roundOf({ rounds }, match) {
  return (rounds.find(({ matches }) => matches.includes(match)) ?? rounds[rounds.length - 1]).number;
}

/**
 * @param {BracketMatch} match
 * @param {string} bot
 */
function result(match, bot) {
  if (match.decided === "bye" || (!match.winner && !match.encounters.length)) return "";
  const place = match.bots.indexOf(bot);
  return `${points(match.scores[place] ?? 0)}–${points(match.scores[1 - place] ?? 0)}`;
}

/**
 * @param {BracketMatch} match
 * @param {string} bot
 */
function words(match, bot) {
  const other = match.bots[1 - match.bots.indexOf(bot)];
  if (match.decided === "bye") return ": a bye";
  if (!other) return ": the opponent is not known yet";
  if (isOpen(match)) return `: against ${other}, not over yet`;
  const how = match.decided ? ` (${match.decided})` : "";
  return `: ${match.winner === bot ? "beats" : "loses to"} ${other}${how}`;
}
