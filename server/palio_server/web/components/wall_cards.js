/** The small matches of the hall's screen. Each is drawn anew only if something is new of it. */

/** @import { Summary } from "../types/wire.js" */
/** @import { Place } from "../lib/interest.js" */
/** @import { Shown } from "../lib/wall.js" */

import { html, useRef } from "../lib/html.js";
import { memo } from "../lib/memo.js";
import { styled } from "../lib/place.js";
import { isRace, places as placed } from "../lib/race.js";
import { ending, paid } from "../lib/race_words.js";
import { reason } from "../lib/codes.js";
import { cell, size } from "../lib/wall_grid.js";
import { fromAbove } from "../lib/wall_order.js";
import { plural, points, verdict, winners } from "../lib/words.js";
import { Board } from "./board.js";
import { BotName } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";

/** @param {{slots: (Shown|null)[], lost: boolean, places: Map<string, Place>, pins: string[], pin: (match: string) => void}} props */
export function WallCards({ slots, lost, places, pins, pin }) {
  const { rows, cols } = size(slots);
  return html`
    <section class="wall" aria-label="Small boards">
      <ol ...${styled({ gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`, gridTemplateColumns: `repeat(${cols}, minmax(0, 1fr))` })}>
        ${slots.map((shown, place) => {
          if (!shown) return null;
          const { row, col } = cell(place);
          const { match } = shown.entry.summary;
          return html`
            <li key=${match} class="wall-slot" ...${styled({ gridArea: `${row} / ${col}` })}>
              <${Card} shown=${shown} lost=${lost} board=${places.get(match)?.board ?? null} pinned=${pins.includes(match)} pin=${pin} />
            </li>
          `;
        })}
      </ol>
    </section>
  `;
}

const Card = memo(DrawnCard);

/** @param {{shown: Shown, lost: boolean, board: number|null, pinned: boolean, pin: (match: string) => void}} props */
function DrawnCard({ shown, lost, board, pinned, pin }) {
  const { summary, at } = shown.entry;
  const { match, seats, title, view, result } = summary;
  const before = useRef({ now: view, before: view });
  if (before.current.now.ply !== view.ply) before.current = { now: view, before: before.current.now };
  const race = isRace(summary);
  const order = race ? placed(view.race ?? [], result).map(({ seat }) => seat) : fromAbove(summary);
  const row = (/** @type {number} */ seat) => html`<${race ? Entrant : Player} key=${seat} summary=${summary} seat=${seat} at=${at} runs=${!lost && shown.gone === Infinity && !result} />`;
  const names = seats.map(({ bot }) => bot);
  const words = `${title}: ${names.join(" against ")}${result ? `; ${verdict(result, seats)}` : ""}`;
  return html`
    <div class="wall-card" data-match=${match} data-over=${result ? "" : null} data-gone=${shown.gone < Infinity ? "" : null} data-pinned=${pinned ? "" : null}>
      <div class="wall-rows" data-board=${board}>${row(order[0])}</div>
      <div class="wall-board">
        <${Board} key=${race ? view.seat : 0} view=${view} before=${before.current.before} seats=${seats} title=${title} entrant=${race ? view.seat : null} small glides=${false} />
      </div>
      <div class="wall-rows">${order.slice(1, 3).map(row)}</div>
      <button type="button" class="wall-pin" data-match=${match} aria-pressed=${pinned} aria-label=${`${words}. ${pinned ? "Let it go" : "Pin it"}`} onClick=${() => pin(match)}></button>
    </div>
  `;
}

/** @param {{summary: Summary, seat: number, at: number, runs: boolean}} props */
function Player({ summary: { seats, view, time, absent, result, refused }, seat, at, runs }) {
  const won = result && winners(result).length === 1 && winners(result)[0] === seat;
  const how = won ? reason(result.reason) : absent.includes(seat) ? "away" : refused === seat && !result ? "refused" : "";
  return html`
    <p class="wall-row" data-refused=${how === "refused" ? "" : null} data-moves=${!result && view.to_move === seat ? "" : null} data-won=${won ? "" : null}>
      <${Token} seats=${seats} seat=${seat} scene=${view.scene ?? null} />
      <${BotName} name=${seats[seat].bot} />
      ${how && html`<small>${how}</small>`}
      ${result ? html`<em>${points(result.scores[seat])}</em>` : html`<${Clock} state=${{ clocks: view.clocks_ms, movesToGo: view.moves_to_go, at, running: runs }} seat=${seat} toMove=${view.to_move} time=${time} label=${`clock of ${seats[seat].name}`} />`}
    </p>
  `;
}

/** @param {{summary: Summary, seat: number}} props */
function Entrant({ summary: { seats, view, result }, seat }) {
  const standing = view.race?.[seat] ?? { cost: null, plies: 0, end: null };
  const first = placed(view.race ?? [], result)[0];
  return html`
    <p class="wall-row" data-moves=${!result && standing.end === null ? "" : null} data-won=${result && first?.seat === seat && standing.cost !== null ? "" : null}>
      <${Token} seats=${seats} seat=${seat} />
      <${BotName} name=${seats[seat].bot} />
      ${standing.cost === null ? html`<small>${ending(standing) || plural(standing.plies, "ply", "plies")}</small>` : html`<em>${paid(standing.cost)}</em>`}
    </p>
  `;
}
