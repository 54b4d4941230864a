/** A match in the lobby: its board, small, and who plays; the whole card leads to the match. */

import { html, useRef } from "../lib/html.js";
import { to } from "../lib/router.js";
import { cause, verdict, winners } from "../lib/words.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";

export function Card({ card }) {
  const { summary, at } = card;
  const { match, title, event, seats, view, result } = summary;
  const before = useBefore(view);
  const names = seats.map(({ bot }) => bot).join(" against ");
  return html`
    <li class="card" data-match=${match} data-over=${result ? "" : null}>
      <a href=${to("match", match)} aria-label=${`${title}: ${names}`}>
        <div class="card-head">
          <span class="card-game">${title}</span>
          <span class="card-event">${event}</span>
        </div>
        <div class="card-board"><${Board} view=${view} before=${before} seats=${seats} title=${title} small /></div>
        <ol class="card-seats">
          ${seats.map((seat, index) => html`<${Player} key=${index} summary=${summary} at=${at} index=${index} />`)}
        </ol>
        <p class="card-state">
          ${result ? html`<strong>${verdict(result, seats)}</strong> ${cause(result, seats)}` : `ply ${view.ply}`}
        </p>
      </a>
    </li>
  `;
}

function Player({ summary: { seats, view, time, absent, result }, at, index }) {
  const state = { clocks: view.clocks_ms, at, running: !result };
  const { name, bot } = seats[index];
  const won = result && seats.length > 1 && winners(result).length === 1 && winners(result)[0] === index;
  return html`
    <li data-moves=${view.to_move === index ? "" : null} data-won=${won ? "" : null}>
      <${Token} seats=${seats} seat=${index} />
      <span class="bot">${bot}<span class="unseen">, ${name}${won ? ", won" : ""}</span></span>
      ${absent.includes(index) && html`<span class="away">away</span>`}
      <${Clock} state=${state} seat=${index} toMove=${view.to_move} time=${time} label=${`clock of ${name}`} />
    </li>
  `;
}

/** The view that was drawn before this one. */
function useBefore(view) {
  const seen = useRef({ now: view, before: null });
  if (seen.current.now.ply !== view.ply) seen.current = { now: view, before: seen.current.now };
  return seen.current.before;
}
