/** A match on another site's page: its board, who plays, the clocks, and stepping. The link leads to the whole of it. */

/** @import { MatchState } from "../lib/fold.js" */
/** @import { Place } from "../lib/race.js" */
/** @import { Step } from "../lib/replay.js" */
/** @import { SeatOf, View } from "../types/wire.js" */

import { foldMatch } from "../lib/fold.js";
import { useFollow, useTitle } from "../lib/hooks.js";
import { html, useMemo } from "../lib/html.js";
import { boardsAt, boardsByEntrant, isRace, places } from "../lib/race.js";
import { ending, ordinal, paid } from "../lib/race_words.js";
import { LIVE, viewAt } from "../lib/replay.js";
import { asking, to } from "../lib/router.js";
import { useStepping } from "../lib/stepping.js";
import { announce, cause, plural, verdict } from "../lib/words.js";
import { Board } from "./board.js";
import { BotName } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Connection } from "./connection.js";
import { Token } from "./seat.js";

const PLACES = 4; // of a race whose boards are not all drawn
const LANES = 12; // entrants whose boards are all drawn

/** @type {[Step, string, string][]} */
const STEPS = [
  ["first", "first position", "M7 5v14M19 5l-9 7 9 7z"],
  ["back", "one ply back", "M16 5l-9 7 9 7z"],
  ["on", "one ply on", "M8 5l9 7-9 7z"],
  ["live", "newest position", "M17 5v14M5 5l9 7-9 7z"],
];

/** @param {{id: string}} props */
export function Embed({ id }) {
  const path = encodeURIComponent(id);
  const { state, status, why } = useFollow(`ws/live/${path}`, foldMatch);
  useTitle(state ? state.summary.title : `Match ${id}`);
  if (status === "gone") return html`<div class="embed"><h1 class="embed-title">This match is not known here.</h1></div>`;
  if (!state) return html`<div class="embed" aria-busy="true"><h1 class="embed-title">Loading the match …</h1></div>`;
  return html`
    <${Connection} status=${status} why=${why} />
    <${Shown} state=${state} path=${path} />
  `;
}

/** @param {{state: MatchState, path: string}} props */
function Shown({ state, path }) {
  const { summary, running } = state;
  const { match, title, seats, result, view: newest, time } = summary;
  const { cursor, live, ply, views, range, go } = useStepping(state, path);
  const race = isRace(summary);
  const view = viewAt(views, cursor, newest);
  const clocks = live ? state : { clocks: view.clocks_ms, movesToGo: view.moves_to_go, at: 0, running: false };
  const bots = seats.map(({ bot }) => bot).join(race ? ", " : " against ");
  const last = cursor === LIVE || ply >= range.last;
  const standings = useMemo(() => (race ? places(view.race ?? [], live ? result : null) : []), [race, view.race, live, result]);
  const lists = useMemo(() => (race ? boardsByEntrant(views, seats.length) : []), [race, views]);
  const lanes = race && seats.length > 1 && seats.length <= LANES;
  const waits = view.ply === ply ? null : "true";
  return html`
    <article class="embed">
      <h1 class="embed-title">${title}<span class="unseen">: ${bots}</span></h1>
      ${
        lanes
          ? html`<${Lanes} standings=${standings} boards=${live ? state.boards : boardsAt(lists, ply, views[0] ?? state.boards[0])} seats=${seats} title=${title} waits=${waits} />`
          : html`
              <div class="embed-board" aria-busy=${waits}>
                <${Board} view=${view} before=${race ? null : views[view.ply - 1]} seats=${seats} title=${title} entrant=${race ? view.seat : undefined} />
              </div>
            `
      }
      <ol class="embed-seats">
        ${
          race
            ? !lanes &&
              standings.slice(0, PLACES).map(({ seat, rank, cost }) => html`
                <li key=${seat}>
                  <span class="card-rank">${rank ?? "–"}</span><${Token} seats=${seats} seat=${seat} />
                  <${BotName} name=${seats[seat].bot} /><span class="card-cost">${cost === null ? "" : paid(cost)}</span>
                </li>
              `)
            : seats.map(({ name, bot }, seat) => html`
                <li key=${seat} data-moves=${view.to_move === seat ? "" : null}>
                  <${Token} seats=${seats} seat=${seat} scene=${view.scene} /><${BotName} name=${bot} /><span class="unseen">, ${name}</span>
                  <${Clock} state=${clocks} seat=${seat} toMove=${view.to_move} time=${time} label=${`clock of ${name}`} />
                </li>
              `)
        }
      </ol>
      <p class="embed-state">${result ? html`<strong>${verdict(result, seats)}</strong> ${cause(result, seats)}` : running ? "Being played" : "Waiting for the bots"}</p>
      <div class="embed-steps" role="group" aria-label="step through the match">
        ${STEPS.map(
          ([step, label, glyph]) => html`
            <button key=${step} type="button" class="step" aria-label=${label} title=${label} disabled=${step === "first" || step === "back" ? ply <= range.first : last} onClick=${() => go(step)}>
              <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${glyph} /></svg>
            </button>
          `,
        )}
        <output class="at">ply ${ply} of ${range.last}</output>
        <a href=${asking(to("match", match), { ply: cursor })} target="_blank" rel="noopener" aria-label="Open in Palio">Open<span class="embed-where"> in Palio</span></a>
      </div>
      <p class="unseen" aria-live="polite">${announce(state.news, summary)}</p>
    </article>
  `;
}

/**
 * Everybody's board, small, each in its place.
 *
 * @param {{standings: Place[], boards: View[], seats: SeatOf[], title: string, waits: "true"|null}} props
 */
function Lanes({ standings, boards, seats, title, waits }) {
  const bySeat = [...standings].sort((a, b) => a.seat - b.seat);
  return html`
    <ol class="embed-lanes" aria-label="everybody's board" aria-busy=${waits}>
      ${bySeat.map((place) => {
        const { seat, rank, cost, plies } = place;
        return html`
          <li key=${seat} data-won=${rank === 1 ? "" : null}>
            <div class="lane-board"><${Board} view=${boards[seat]} seats=${seats} title=${title} entrant=${seat} small /></div>
            <span class="lane-name"><${Token} seats=${seats} seat=${seat} /><${BotName} name=${seats[seat].bot} /></span>
            <span class="lane-cost">${rank === null ? ending(place) || plural(plies, "ply", "plies") : `${ordinal(rank)} · ${paid(cost)}`}</span>
          </li>
        `;
      })}
    </ol>
  `;
}
