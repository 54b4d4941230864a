/** The head of a tournament's page: what it is, how far it is, its rounds, what can be had of it and done with it. */

/** @import { GameItem, TournamentDetail, Wait } from "../types/wire.js" */

import { about, progressWords, roundWords, speed, stageWord } from "../lib/event_words.js";
import { roundShown } from "../lib/event_rounds.js";
import { timeOf } from "../lib/event_time.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { moment } from "../lib/when.js";
import { plural } from "../lib/words.js";
import { Controls } from "./controls.js";
import { Exports } from "./exports.js";
import { RoundStrip } from "./round_strip.js";

/** @param {{event: TournamentDetail, games: GameItem[], refresh: () => void}} props */
export function EventHead({ event, games, refresh }) {
  const title = games.find(({ name }) => name === event.game)?.title ?? event.game;
  const facts = [event.title, plural(event.bots.length, "bot"), timeOf(event.settings), startWords(event)].filter(Boolean);
  return html`
    <div class="event-head">
      <div>
        <h1>${event.name}</h1>
        <p class="facts"><a href=${to("games", event.game)}>${title}</a> · ${facts.join(" · ")}</p>
      </div>
      <div class="event-tools">
        <${Controls} event=${event} refresh=${refresh} />
        <${Exports} event=${event} duel=${games.find(({ name }) => name === event.game)?.kind === "duel"} />
      </div>
    </div>
    <${Progress} event=${event} />
    ${event.note && html`<p class="notice" role="status">${event.note}</p>`}
    <${Waits} waits=${event.waits ?? []} />
  `;
}

/**
 * What the pairings that have not begun wait for.
 *
 * @param {{waits: Wait[]}} props
 */
function Waits({ waits }) {
  if (!waits.length) return null;
  return html`
    <details class="event-waits">
      <summary>${plural(waits.length, "pairing has", "pairings have")} games that wait</summary>
      <ul>
        ${waits.map(({ encounter, bots, matches, why }) => html`<li key=${encounter}><b>${bots.join(" – ")}</b>${matches > 1 ? `, ${plural(matches, "game")}` : ""}: ${why}.</li>`)}
      </ul>
    </details>
  `;
}

/** @param {TournamentDetail} event */
function startWords({ stage, starts_at: starts, created_at: created }) {
  if (stage === "open" && starts) return `starts ${moment(starts)}`;
  return `since ${moment(starts ?? created)}`;
}

/** @param {{event: TournamentDetail}} props */
function Progress({ event }) {
  const { stage, total, finished, sprt, games_per_s: rate, seconds_left: left } = event;
  const runs = stage === "running";
  const more = [runs && rate !== null && rate > 0 && speed(rate), runs && left !== null && `${about(left)} left`].filter(Boolean);
  return html`
    <div class="event-progress">
      <${RoundStrip} event=${event} />
      <p class="progress">
        <span class="event-stage" data-stage=${stage}>${stageWord(stage)}${runs && !sprt && event.round > 0 && `, ${roundWords({ ...event, round: roundShown(event) })}`}</span>
        ${!sprt && html`<progress value=${finished} max=${total || 1} aria-label="games finished" />`}
        <span>${[progressWords(event), ...more].join(" · ")}</span>
      </p>
    </div>
  `;
}
