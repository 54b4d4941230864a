/** The narrow column of a bot's page: its match now, its form, its time for a move, its openings. */

/** @import { BotDetail, BotReport, TimesItem } from "../types/wire.js" */
/** @import { LobbyState } from "../lib/lobby_fold.js" */

import { duration } from "../lib/clock.js";
import { html, useState } from "../lib/html.js";
import { formWords, isLevel } from "../lib/outcomes.js";
import { to } from "../lib/router.js";
import { capital, plural } from "../lib/words.js";
import { Card } from "./card.js";
import { Share } from "./opponents.js";

/** Matches of a bot that are named: one with its board. */
export const SHOWN = 6;

/** @param {{bot: BotDetail, state: LobbyState|null}} props */
export function Now({ bot, state }) {
  const own = (state?.cards ?? []).filter(({ summary }) => !summary.result && summary.seats.some((seat) => seat.bot === bot.name));
  if (!own.length) return null;
  const more = Math.max(own.length, state?.playing ?? 0) - 1;
  return html`
    <section class="now" aria-labelledby="now">
      <h2 id="now">Now <span class="bot-present">ply ${own[0].summary.view.ply}</span></h2>
      <ul><${Card} card=${own[0]} /></ul>
      ${more > 0 && html`<p class="note">${own.slice(1, SHOWN).map(({ summary }, index) => html`${index > 0 && ", "}<a key=${summary.match} href=${to("match", summary.match)}>${summary.title}</a>`)}${more > own.slice(1, SHOWN).length && ` and ${more - own.slice(1, SHOWN).length} more`}</p>`}
    </section>
  `;
}

/** @param {{form: string[]}} props */
export function Form({ form }) {
  if (!form.length) return null;
  return html`
    <section class="panel" aria-labelledby="form">
      <h2 id="form">Form</h2>
      <div class="form-strip" role="img" aria-label=${`${formWords(form)}; newest on the right`}>
        ${form.map((outcome, index) => html`<i key=${index} data-made=${outcome === "won" ? "won" : isLevel(outcome) ? "level" : "lost"} title=${outcome}></i>`)}
      </div>
      <p class="note">${formWords(form)}, newest on the right</p>
    </section>
  `;
}

/** @param {{times: TimesItem|null, sample: number}} props */
export function Times({ times, sample }) {
  if (!times) return null;
  const most = Math.max(...times.bins.map(({ moves }) => moves));
  const middle = times.bins.findIndex(({ most: end }) => times.median < end);
  const words = `half of its moves within ${duration(times.median)}, 99 % within ${duration(times.p99)}`;
  return html`
    <section class="panel" aria-labelledby="times">
      <h2 id="times">Time for a move</h2>
      <div class="time-bars" role="img" aria-label=${words}>
        ${times.bins.map(({ least, most: end, moves }, index) => html`<i key=${least} data-middle=${index === middle ? "" : null} ...${{ style: { height: `${(100 * moves) / most}%` } }} title=${`${duration(least)} to ${duration(end)}: ${plural(moves, "move")}`}></i>`)}
      </div>
      <p class="time-axis"><span>${duration(times.bins[0].least)}</span><span>${duration(times.bins[times.bins.length - 1].most)}</span></p>
      <p class="note">${words}; of its last ${plural(sample, "match", "matches")}</p>
    </section>
  `;
}

/** @param {{report: BotReport}} props */
export function Openings({ report: { openings, sample } }) {
  const seats = [...new Map(openings.map(({ seat, name }) => [seat, name]))];
  const [chosen, choose] = useState(/** @type {number|null} */ (null));
  if (!seats.length) return null;
  const seat = chosen ?? seats[0][0];
  return html`
    <section class="panel" aria-labelledby="openings">
      <h2 id="openings">Openings</h2>
      <div class="chips" role="group" aria-label="Which seat">
        ${seats.map(([number, name]) => html`<button type="button" class="filter-pick" key=${number} aria-pressed=${number === seat ? "true" : "false"} onClick=${() => choose(number)}>as ${capital(name)}</button>`)}
      </div>
      <ul class="bot-openings">
        ${openings
          .filter((each) => each.seat === seat)
          .map(
            ({ moves, games, share }) => html`
              <li key=${moves.join(" ")}>
                <span class="mono">${moves.join(" ")}</span> <small>${plural(games, "game")}</small>
                <${Share} share=${share} /> <b>${Math.round(share * 100)} %</b>
              </li>
            `,
          )}
      </ul>
      <p class="note">of its last ${plural(sample, "match", "matches")}</p>
    </section>
  `;
}
