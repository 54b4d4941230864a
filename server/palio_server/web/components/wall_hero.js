/** The large match of the hall's screen: its board, who plays, what the bots think of it, and why it is shown. */

/** @import { PlyView, Summary } from "../types/wire.js" */
/** @import { Place } from "../lib/interest.js" */
/** @import { Shown } from "../lib/wall.js" */

import { foldMatch } from "../lib/fold.js";
import { useFollow } from "../lib/hooks.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { memo } from "../lib/memo.js";
import { balance, curves, newestTold } from "../lib/opinions.js";
import { isRace } from "../lib/race.js";
import { styled } from "../lib/place.js";
import { fromAbove } from "../lib/wall_order.js";
import { cause, verdict } from "../lib/words.js";
import { Board } from "./board.js";
import { BotName } from "./bot_name.js";
import { Gauge } from "./gauge.js";
import { WallBar } from "./wall_bar.js";

/**
 * @typedef {object} Props
 * @property {Shown} shown
 * @property {boolean} lost
 * @property {Record<string, Record<string, number>>} ratings
 * @property {Place} [place]
 * @property {boolean} pinned
 * @property {(match: string, count: number|null) => void} watched  told how many watch the match
 */

/** @param {Props} props */
export function WallHero(props) {
  return isRace(props.shown.entry.summary) ? html`<${Picture} ...${props} lines=${[]} />` : html`<${Followed} ...${props} />`;
}

/**
 * Followed by itself: each move at once, and what the bots tell of it.
 *
 * @param {Props} props
 */
function Followed(props) {
  const { summary } = props.shown.entry;
  const { state } = useFollow(`ws/live/${encodeURIComponent(summary.match)}`, foldMatch);
  const count = state?.viewers ?? null;
  useEffect(() => props.watched(summary.match, count), [count]);
  const newer = state && state.summary.view.ply >= summary.view.ply && (state.summary.result || !summary.result);
  if (!newer) return html`<${Picture} ...${props} lines=${state?.lines ?? []} />`;
  const refused = state.news.kind === "rejected" ? (state.news.seat ?? null) : null;
  return html`<${Picture} ...${props} lines=${state.lines} newest=${state.summary} at=${state.at} refused=${refused} />`;
}

/** @param {Omit<Props, "watched"> & {lines: PlyView[], newest?: Summary, at?: number, refused?: number|null}} props */
function Picture({ shown, lost, ratings, place, pinned, lines, newest, at = shown.entry.at, refused = null }) {
  const summary = newest ?? shown.entry.summary;
  const { seats, view, title, match, result } = summary;
  const before = useRef({ now: view, before: view });
  if (before.current.now.ply !== view.ply) before.current = { now: view, before: before.current.now };
  const race = isRace(summary);
  const order = race ? leaders(summary) : fromAbove(summary);
  const bar = (/** @type {number} */ seat) => html`<${WallBar} key=${seat} summary=${summary} seat=${seat} at=${at} lost=${lost} ratings=${ratings} refused=${refused === seat} />`;
  return html`
    <section class="hero" data-match=${match} data-over=${result ? "" : null} aria-label=${`Large board: ${seats.map(({ bot }) => bot).join(" against ")}`}>
      ${bar(order[0])}
      <div class="hero-mid">
        ${!race && seats.length === 2 && html`<${Standing} summary=${summary} lines=${lines} upper=${order[0]} />`}
        <div class="hero-board">
          <${SameBoard} key=${race ? view.seat : match} view=${view} before=${before.current.before} seats=${seats} title=${title} entrant=${race ? view.seat : null} />
        </div>
      </div>
      <div class="hero-bars">${order.slice(1, 3).map(bar)}</div>
      <div class="hero-under">
        <${Opinions} lines=${lines} summary=${summary} />
        <p class="hero-why" role="status">
          ${place && html`<b>Board ${place.board}, round ${place.round}. </b>`}
          ${result ? html`<b class="hero-verdict">${verdict(result, seats)}</b>, ${cause(result, seats)}.` : html`${!place && html`<b>${title}. </b>`}${pinned ? "Pinned by hand." : `${shown.why} It stays until its result has been seen.`}`}
        </p>
      </div>
    </section>
  `;
}

const SameBoard = memo(Board, (before, next) => before.view.scene === next.view.scene && before.view.text === next.view.text);

/**
 * The entrants of a race, whoever is ahead first.
 *
 * @param {Summary} summary
 */
function leaders({ seats, view }) {
  const cost = (/** @type {number} */ seat) => view.race?.[seat]?.cost ?? Infinity;
  return seats.map((_, seat) => seat).sort((a, b) => (cost(a) === cost(b) ? a - b : cost(a) < cost(b) ? -1 : 1));
}

/**
 * Whose game it is, as the bots say.
 *
 * @param {{summary: Summary, lines: PlyView[], upper: number}} props
 */
function Standing({ summary, lines, upper }) {
  const { seats, told = [] } = summary;
  const newest = newestTold(lines, seats.length, Infinity);
  const share = balance(newest.map((score, seat) => score ?? told[seat] ?? null));
  const words = share === null ? "The bots tell nothing of how they stand" : `As the bots see it, ${Math.round(100 * share)} % for ${seats[0].bot}`;
  return html`<${Gauge} seats=${seats} share=${share} upper=${upper} words=${words} />`;
}

/** @param {{lines: PlyView[], summary: Summary}} props */
function Opinions({ lines, summary: { seats } }) {
  const drawn = seats.length === 2 ? curves(lines, 2) : [];
  if (!drawn.length) return null;
  const near = drawn.length === 2 && Math.abs(drawn[0].last - drawn[1].last) < 0.3; // their names would lie on each other
  const put = (/** @type {number} */ last, /** @type {number} */ index) => {
    if (!near) return last;
    const middle = Math.min(0.82, Math.max(0.18, (drawn[0].last + drawn[1].last) / 2));
    const upper = drawn[0].last <= drawn[1].last ? 0 : 1;
    return middle + (index === upper ? -0.17 : 0.17);
  };
  return html`
    <figure class="opinions" role="img" aria-label=${`How the bots have seen their game, each from its own side: ${drawn.map(({ seat }) => seats[seat].bot).join(" and ")}`}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="middle" d="M0 50H100" />
        ${drawn.map(({ seat, path }) => html`<path key=${seat} class=${`opinion opinion-${seat}`} d=${path} />`)}
      </svg>
      ${drawn.map(({ seat, last }, index) => html`<span key=${seat} class=${`opinion-name opinion-name-${seat}`} aria-hidden="true" ...${styled({ top: `${100 * put(last, index)}%` })}><${BotName} name=${seats[seat].bot} /></span>`)}
    </figure>
  `;
}
