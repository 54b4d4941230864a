/** Who plays, what their clocks say, whose turn it is, and in the end who won and why. */

/** @import { View } from "../types/wire.js" */
/** @import { ClockState } from "../lib/clock.js" */

import { timeControl } from "../lib/clock.js";
import { html } from "../lib/html.js";
import { cause, points, score, verdict, winners } from "../lib/words.js";
import { Clock } from "./clock.js";
import { Token } from "./seat.js";
import { Tally } from "./tally.js";

/**
 * @param {object} props
 * @param {import("../lib/fold.js").MatchState} props.state
 * @param {View} props.view  the position that is shown
 * @param {boolean} props.live  whether it is the newest
 * @param {Set<number>} props.out  seats that have forfeited in a game that plays on
 */
export function Scoreboard({ state, view, live, out }) {
  const { seats, result, time } = state.summary;
  /** @type {ClockState} */
  const shown = live ? state : { clocks: view.clocks_ms, at: 0, running: false };
  const best = result && seats.length > 1 ? winners(result) : [];
  return html`
    <section class="scoreboard" aria-label="players">
      <ol class="players" data-seats=${seats.length}>
        ${seats.map((seat, index) => {
          const moves = view.to_move === index;
          const away = live && state.summary.absent.includes(index);
          const role = `${seat.name}${out.has(index) ? ", out" : moves ? ", to move" : ""}`;
          return html`
            <li
              key=${index}
              class="player"
              data-moves=${moves ? "" : null}
              data-out=${out.has(index) ? "" : null}
              data-won=${live && best.length === 1 && best[0] === index ? "" : null}
            >
              <${Token} seats=${seats} seat=${index} scene=${view.scene} />
              <span class="who">
                <span class="bot">${seat.bot}</span>
                <span class="role">
                  <${Tally} scene=${view.scene} seats=${seats} seat=${index} />
                  ${away ? html`<em class="away">connection lost</em>` : role}
                </span>
              </span>
              ${result && html`<span class="points" aria-label="points">${points(result.scores[index])}</span>`}
              <${Clock} state=${shown} seat=${index} toMove=${view.to_move} time=${time} label=${`clock of ${seat.name}`} />
            </li>
          `;
        })}
      </ol>
      <p class="verdict" data-over=${result ? "" : null}>
        ${
          result
            ? html`<strong>${verdict(result, seats)}</strong>${" "}
                <span class="score">${score(result.scores)}</span>${" "}
                <span>${cause(result, seats)}</span>`
            : html`<span>${state.running ? "Being played" : "Waiting for the bots to get ready"}</span>`
        }
        ${" "}<span class="tc">${timeControl(time)}</span>
      </p>
      ${result?.detail && result.reason !== "aborted" && html`<${Detail} text=${result.detail} />`}
    </section>
  `;
}

/** @param {{text: string}} props */
function Detail({ text }) {
  if (!text.includes("\n")) return html`<p class="detail">${text}</p>`;
  return html`<details class="detail"><summary>What the bot said last</summary><pre tabindex="0">${text}</pre></details>`;
}
