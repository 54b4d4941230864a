/** Who plays, what their clocks say and whose turn it is at the ply that is shown; and on a line of its own who won. */

/** @import { View } from "../types/wire.js" */
/** @import { ClockState } from "../lib/clock.js" */
/** @import { Step } from "../lib/replay.js" */

import { timeControl } from "../lib/clock.js";
import { html } from "../lib/html.js";
import { cause, points, score, verdict, winners } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";
import { Tally } from "./tally.js";

/**
 * @param {object} props
 * @param {import("../lib/fold.js").MatchState} props.state
 * @param {View} props.view  the position that is shown
 * @param {boolean} props.live  whether it is the newest
 * @param {Set<number>} props.out  seats that have forfeited in a game that plays on
 * @param {(step: Step) => void} props.go
 * @param {Map<string, string>} [props.ratings]  of its bots, as people write them
 * @param {boolean} [props.stale]  the server is not heard: clocks stand
 * @param {number|null} [props.upper]  the seat of a duel that stands above the board; null: all do
 */
export function Scoreboard({ state, view, live, out, go, ratings = new Map(), stale = false, upper = null }) {
  const { seats, result, time, times } = state.summary;
  /** @type {ClockState} */
  const shown = live ? { ...state, running: state.running && !stale } : { clocks: view.clocks_ms, movesToGo: view.moves_to_go, at: 0, running: false };
  const best = live && result && seats.length > 1 ? winners(result) : [];
  const toMove = live && result ? null : view.to_move;
  return html`
    <section class="scoreboard" aria-label="players" data-stale=${stale ? "" : null}>
      <ol class="players" data-seats=${seats.length}>
        ${seats.map((seat, index) => {
          const moves = toMove === index;
          const away = live && state.summary.absent.includes(index);
          const role = `${seat.name}${out.has(index) ? ", out" : moves ? ", to move" : ""}`;
          const rating = ratings.get(seat.bot);
          return html`
            <li
              key=${index}
              class="player"
              data-place=${upper === null ? null : index === upper ? "above" : "below"}
              data-moves=${moves ? "" : null}
              data-out=${out.has(index) ? "" : null}
              data-won=${best.length === 1 && best[0] === index ? "" : null}
            >
              <${Token} seats=${seats} seat=${index} scene=${view.scene} />
              <span class="who">
                <${BotLink} name=${seat.bot} />
                <span class="role">
                  <${Tally} scene=${view.scene} seats=${seats} seat=${index} />
                  ${away ? html`<em class="away">connection lost</em>` : role}${" "}${rating && html`<span class="role-rating" title=${`rating ${rating}`}>· <span class="unseen">rating </span>${rating}</span>`}
                </span>
              </span>
              ${live && result && html`<span class="points" aria-label="points">${points(result.scores[index])}</span>`}
              <${Clock} state=${shown} seat=${index} toMove=${toMove} time=${times?.[index] ?? time} label=${`clock of ${seat.name}`} />
            </li>
          `;
        })}
      </ol>
      <p class="verdict" data-over=${result && live ? "" : null}>
        ${
          result
            ? html`<strong>${verdict(result, seats)}</strong>${" "}
                <span class="score">${score(result.scores)}</span>${" "}
                <span class="cause" title=${cause(result, seats)}>${cause(result, seats)}</span>`
            : html`<span>${state.running ? "Being played" : "Waiting for the bots to get ready"}</span>`
        }
        ${" "}${
          live
            ? html`<span class="tc">${(times ?? [time]).map(timeControl).join(" vs ")}</span>`
            : html`<button type="button" class="to-end" onClick=${() => go("live")}>${result ? `go to the end, ply ${state.summary.view.ply}` : "go to the newest ply"}</button>`
        }
      </p>
    </section>
  `;
}
