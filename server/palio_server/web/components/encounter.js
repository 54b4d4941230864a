/** A pairing of a round: who meets on which points, what has come of it, its boards in play, and why these two. */

/** @import { EncounterItem, EncounterMatch, TournamentDetail } from "../types/wire.js" */
/** @import { Card } from "../lib/lobby_fold.js" */

import { useJson } from "../lib/hooks.js";
import { html, useId, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { capital, plain, points, score } from "../lib/words.js";
import { Board } from "./board.js";
import { BotLink } from "./bot_name.js";
import { Failure } from "./empty.js";
import { Token } from "./seat.js";

/** @param {{event: TournamentDetail, encounter: EncounterItem, cards: Card[]}} props */
export function Encounter({ event, encounter, cards }) {
  const { number, board, bots, part, over, before, forfeits, matches } = encounter;
  const [open, setOpen] = useState(false);
  const id = useId();
  const live = cards.find(({ summary }) => !summary.result && matches.some(({ match }) => match === summary.match))?.summary;
  const best = Math.max(...encounter.points);
  const decided = over && encounter.points.some((made) => made !== best);
  return html`
    <li class="encounter" data-live=${live ? "" : null} data-open=${open ? "" : null}>
      <span class="encounter-board num" title=${`board ${board}`}>${board}</span>
      ${
        live &&
        html`<a class="encounter-live" href=${to("match", live.match)} aria-label=${`board ${board}: ${bots.join(" against ")}`}>
          <${Board} view=${live.view} seats=${live.seats} title=${live.title} small ...${live.kind === "race" ? { entrant: live.view.seat } : {}} />
        </a>`
      }
      <ol class="encounter-bots">
        ${part && html`<li class="encounter-part">${capital(part)}</li>`}
        ${bots.map(
          (bot, index) => html`
            <li key=${bot} data-won=${decided && encounter.points[index] === best ? "" : null}>
              ${live && live.kind !== "race" && html`<${Token} seats=${live.seats} seat=${live.seats.findIndex((seat) => seat.bot === bot)} scene=${live.view.scene} />`}
              <${BotLink} name=${bot} />
              <small>on ${points(before[index] ?? 0)}${forfeits.includes(bot) ? ", forfeits" : ""}</small>
              <span class="made">${matches.some(({ scores }) => scores) || over ? points(encounter.points[index] ?? 0) : ""}</span>
            </li>
          `,
        )}
      </ol>
      <div class="encounter-state">
        ${live ? html`<a class="live-word" href=${to("match", live.match)} aria-label=${`ply ${live.view.ply}, watch ${bots.join(" against ")}`}>ply ${live.view.ply}</a>` : html`<span class="quiet">${stateWords(encounter, event.stage)}</span>`}
        <span class="encounter-games">${matches.map((match, index) => match.match !== live?.match && html`<${Game} key=${match.match} match=${match} bots=${bots} index=${index} />`)}</span>
        <button type="button" class="why" aria-expanded=${open} aria-controls=${id} onClick=${() => setOpen(!open)} aria-label=${`why ${bots.join(" and ")} meet`}>why</button>
      </div>
      <div id=${id} class="encounter-why" hidden=${!open}>${open && html`<${Reasons} event=${event.id} number=${number} bots=${bots} />`}</div>
    </li>
  `;
}

/**
 * @param {EncounterItem} encounter
 * @param {string} stage  of the event
 */
function stateWords({ over, forfeits, matches, points: made }, stage) {
  if (forfeits.length) return "by forfeit";
  if (over) return !matches.some(({ scores }) => scores) ? "broken off" : new Set(made).size === 1 ? "level" : "";
  if (stage === "finished" || stage === "cancelled") return "not played";
  if (matches.some(({ status }) => status === "running")) return "being played";
  return matches.some(({ scores }) => scores) ? "to go on" : "to come";
}

/**
 * A game, its points in the order in which the encounter names its bots, whoever had the first seat.
 *
 * @param {{match: EncounterMatch, bots: string[], index: number}} props
 */
function Game({ match: { match, bots: seated, status, scores, detail }, bots, index }) {
  const made = scores && scores.length <= 3 ? score(bots.map((bot) => scores[seated.indexOf(bot)] ?? 0)) : scores ? "result" : status === "running" ? "watch" : plain(status);
  if (status === "scheduled") return null;
  return html`<a href=${to("match", match)} title=${`${seated.join(" against ")}, in the order of seats${detail ? `: ${detail}` : ""}`} aria-label=${`game ${index + 1}, ${bots.join(" against ")}: ${made}${detail ? `, ${detail}` : ""}`}>${made}</a>`;
}

const ARTICLES = /^\(C\.04\.3: (.+)\)$/;

/** @param {{event: number, number: number, bots: string[]}} props */
function Reasons({ event, number, bots }) {
  const { value, error, refresh } = useJson(`tournaments/${event}/why/${number}`);
  if (error) return html`<${Failure} error=${error} retry=${refresh} />`;
  if (!value) return html`<p class="quiet" aria-busy="true">Asking …</p>`;
  const said = value.sentences.filter((sentence) => !ARTICLES.test(sentence));
  const articles = value.sentences.flatMap((sentence) => ARTICLES.exec(sentence)?.[1] ?? []).join(", ");
  return html`
    <p class="why-title">Why this pairing</p>
    <ol>${said.map((sentence) => html`<li key=${sentence}>${named(sentence, bots)}</li>`)}</ol>
    ${articles && html`<p class="note">By the FIDE Dutch system (C.04.3), ${articles.includes(",") ? "articles" : "article"} ${articles}.</p>`}
  `;
}

/**
 * A sentence, the names of `bots` in it in bold.
 *
 * @param {string} sentence
 * @param {string[]} bots
 */
function named(sentence, bots) {
  return sentence.split(/([\p{L}\p{N}_.+-]+)/u).map((word) => (bots.includes(word) ? html`<strong key=${word}>${word}</strong>` : word));
}

/** @type {Record<string, string>} */
const BYES = { "pairing-bye": "has a bye: nobody was left to meet", "half-bye": "has a bye of half a point, as asked", absent: "is absent" };

/** @param {{encounters: EncounterItem[]}} props */
export function Byes({ encounters }) {
  if (!encounters.length) return null;
  return html`
    <ul class="byes">
      ${encounters.map(({ number, bots, kind }) => html`<li key=${number}>${bots.map((bot, index) => html`${index > 0 && ", "}<${BotLink} key=${bot} name=${bot} />`)} ${BYES[kind] ?? plain(kind)}</li>`)}
    </ul>
  `;
}
