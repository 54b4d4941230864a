/** A match in the lobby: its board, small, and who plays; the whole card leads to the match. */

/** @import { Summary, View } from "../types/wire.js" */
/** @import { Card as Shown } from "../lib/lobby_fold.js" */

import { html, useRef } from "../lib/html.js";
import { isRace, places } from "../lib/race.js";
import { ending, paid } from "../lib/race_words.js";
import { to } from "../lib/router.js";
import { cause, plural, verdict, winners } from "../lib/words.js";
import { Board } from "./board.js";
import { BotName } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";

const PLACES = 3; // of a race

/** @param {{card: Shown, where?: string}} props  `where`: what is said in place of its event's name */
export function Card({ card, where }) {
  const { summary } = card;
  const { match, title, event, seats, result } = summary;
  const race = isRace(summary);
  const bots = seats.map(({ bot }) => bot);
  return html`
    <li class="card" data-match=${match} data-over=${result ? "" : null}>
      <div class="card-box">
        <div class="card-head">
          <a class="card-game" href=${to("match", match)} aria-label=${`${title}: ${race ? entrants(bots) : bots.join(" against ")}`}>${title}</a>
          <span class="card-event">${where ?? event}</span>
        </div>
        <${CardBoard} card=${card} />
        <p class="card-state">
          ${result ? html`<strong>${verdict(result, seats)}</strong> ${cause(result, seats)}` : progress(summary)}
        </p>
      </div>
    </li>
  `;
}

/**
 * The board of a card, and who plays.
 *
 * @param {{card: Shown}} props
 */
export function CardBoard({ card }) {
  return isRace(card.summary) ? html`<${RaceCard} summary=${card.summary} />` : html`<${TableCard} card=${card} />`;
}

/** @param {Summary} summary */
function progress({ kind, view }) {
  if (kind !== "race") return `ply ${view.ply}`;
  const race = view.race ?? [];
  const racing = race.filter(({ end }) => end === null).length;
  return `ply ${view.ply}, ${racing} of ${race.length} still racing`;
}

/** @param {string[]} bots */
function entrants(bots) {
  return bots.length > PLACES ? `a race of ${bots.slice(0, PLACES).join(", ")} and ${bots.length - PLACES} more` : `a race of ${bots.join(", ")}`;
}

/** @param {{card: Shown}} props */
function TableCard({ card: { summary, at, stands = false } }) {
  const { title, seats, view } = summary;
  const before = useBefore(view);
  return html`
    <div class="card-board"><${Board} view=${view} before=${before} seats=${seats} title=${title} small /></div>
    <ol class="card-seats">
      ${seats.map((_, index) => html`<${Player} key=${index} summary=${summary} at=${at} stands=${stands} index=${index} />`)}
    </ol>
  `;
}

/** @param {{summary: Summary, at: number, stands: boolean, index: number}} props */
function Player({ summary: { seats, view, time, absent, result }, at, stands, index }) {
  const state = { clocks: view.clocks_ms, movesToGo: view.moves_to_go, at, running: !result && !stands };
  const { name, bot } = seats[index];
  const won = result && seats.length > 1 && winners(result).length === 1 && winners(result)[0] === index;
  return html`
    <li data-moves=${view.to_move === index ? "" : null} data-won=${won ? "" : null}>
      <${Token} seats=${seats} seat=${index} scene=${view.scene} />
      <${BotName} name=${bot} /><span class="unseen">, ${name}${won ? ", won" : ""}</span>
      ${absent.includes(index) && html`<span class="away">away</span>`}
      <${Clock} state=${state} seat=${index} toMove=${view.to_move} time=${time} label=${`clock of ${name}`} />
    </li>
  `;
}

/**
 * The board of whoever is ahead, and the first places.
 *
 * @param {{summary: Summary}} props
 */
function RaceCard({ summary: { title, seats, view, result } }) {
  const placed = places(view.race ?? [], result);
  const rest = placed.length - PLACES;
  return html`
    <div class="card-board">
      <${Board} key=${view.seat} view=${view} seats=${seats} title=${title} entrant=${view.seat} small />
    </div>
    <ol class="card-seats">
      ${placed.slice(0, rest === 1 ? PLACES + 1 : PLACES).map((place) => {
        const { seat, rank, cost, plies } = place;
        return html`
          <li key=${seat} data-won=${result && rank === 1 ? "" : null}>
            <span class="card-rank">${rank ?? "–"}</span>
            <${Token} seats=${seats} seat=${seat} />
            <${BotName} name=${seats[seat].bot} />
            <span class="card-cost">${rank === null ? ending(place) || plural(plies, "ply", "plies") : paid(cost)}</span>
          </li>
        `;
      })}
      ${rest > 1 && html`<li class="quiet">and ${rest} more</li>`}
    </ol>
  `;
}

/**
 * The view that was drawn before this one.
 *
 * @param {View} view
 */
function useBefore(view) {
  const seen = useRef(/** @type {{now: View, before: View|null}} */ ({ now: view, before: null }));
  if (seen.current.now.ply !== view.ply) seen.current = { now: view, before: seen.current.now };
  return seen.current.before;
}
