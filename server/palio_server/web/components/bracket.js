/** A knockout drawn: boxes, the lines between them, and one bot's way in another colour. */

/** @import { Bracket, BracketMatch } from "../types/wire.js" */
/** @import { Box } from "../lib/bracket.js" */
/** @import { Card as Shown } from "../lib/lobby_fold.js" */
/** @import { PartProps } from "./tournament.js" */

import { boxWidth, comer, foremost, isOpen, layout, liveRound, pairingOf, SIZE, spread } from "../lib/bracket.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { at } from "../lib/place.js";
import { to } from "../lib/router.js";
import { capital, plural, points } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Card } from "./card.js";
import { Empty } from "./empty.js";
import { Face } from "./face.js";
import { Playing } from "./playing.js";
import { Way } from "./way.js";

const BORDER = 8; // of the frame around the plane, in pixels

/** @param {PartProps} props */
export function BracketPart({ event, cards }) {
  const [picked, setPicked] = useState(/** @type {string|null} */ (null));
  const { bracket } = event;
  if (!bracket?.rounds.length) return html`<${Empty} title="The bracket is not drawn yet."><p>It stands here when the event starts.</p></${Empty}>`;
  const bot = picked ?? foremost(bracket);
  const rank = (/** @type {Shown} */ card) => rounds.indexOf(where(bracket, card));
  const rounds = ["", ...bracket.rounds.flatMap(({ matches }) => matches.map(({ id }) => id)).toSpliced(-1, 0, bracket.third_place?.id ?? "")];
  const inPlay = cards.filter(({ summary }) => !summary.result).toSorted((a, b) => rank(b) - rank(a));
  const [first] = inPlay;
  return html`
    <div class="knockout">
      <${Drawn} bracket=${bracket} bot=${bot} pick=${setPicked} cards=${inPlay} />
      <aside class="knockout-side">
        ${first && html`<ul class="knockout-live"><${Card} card=${first} where=${capital(where(bracket, first))} /></ul>`}
        ${bot !== null && html`<${Way} event=${event.id} bracket=${bracket} bot=${bot} />`}
        <${Ties} rules=${event.rules} />
      </aside>
      <${Playing} cards=${cards.filter((card) => card !== first)} where=${(/** @type {Shown} */ card) => capital(where(bracket, card))} />
    </div>
  `;
}

/**
 * @param {Bracket} bracket
 * @param {Shown} card
 */
function where(bracket, { summary }) {
  return pairingOf(bracket, summary.seats.map(({ bot }) => bot))?.id ?? "";
}

/** @param {{rules: Record<string, unknown>}} props */
function Ties({ rules }) {
  const [best, extra] = [Number(rules.best_of ?? 1), Number(rules.extra ?? 0)];
  return html`
    <section class="panel" aria-labelledby="ties">
      <h2 id="ties">How ties are broken</h2>
      <p class="note">
        ${best > 1 ? `Best of ${plural(best, "encounter")}` : "One encounter decides"}; if that is level, ${extra > 0 ? `up to ${plural(extra, "more encounter", "more encounters")}, then ` : ""}the faster clocks, then the better seed. What decided stands at the box.
      </p>
    </section>
  `;
}

/** @param {{bracket: Bracket, bot: string|null, pick: (bot: string) => void, cards: Shown[]}} props */
function Drawn({ bracket, bot, pick, cards }) {
  const [room, setRoom] = useState(0);
  const across = spread(bracket.rounds.length, room);
  const { boxes, lines, third, titles, width, height } = useMemo(() => layout(bracket, across), [bracket, across]);
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [wide, setWide] = useState(false);
  const live = liveRound(bracket);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWide(element.scrollWidth > element.clientWidth);
    element.scrollLeft = Math.max(0, across * live - 12);
  }, [live, width]);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth - BORDER));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return html`
    <div class="bracket-frame">
      ${wide && html`<p class="note hint">Drag sideways to see the other rounds.</p>`}
      <div class="bracket" ref=${frame} role="region" aria-label="bracket" tabindex="0">
        <div class="bracket-plane" ...${at({ width, height })}>
          <svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} aria-hidden="true">
            ${[false, true].map((way) => lines.filter((line) => (bot !== null && line.bot === bot) === way).map((line) => html`<path key=${line.d} d=${line.d} data-way=${way ? "" : null} />`))}
          </svg>
          ${titles.map(
            ({ title, x }, round) => html`
              <section key=${title} aria-label=${title}>
                <h2 ...${at({ left: x, top: 0 })}>${capital(title)}</h2>
                ${boxes.filter((box) => box.round === round).map((box) => html`<${Pairing} key=${box.match.id} box=${box} width=${boxWidth(across)} cards=${cards} bot=${bot} pick=${pick} final=${round === titles.length - 1} />`)}
              </section>
            `,
          )}
          ${
            third &&
            html`<section aria-label="third place">
              <h2 class="third" ...${at({ left: third.x, top: third.y - 26 })}>Third place</h2>
              <${Pairing} box=${third} width=${boxWidth(across)} cards=${cards} bot=${bot} pick=${pick} final=${false} />
            </section>`
          }
        </div>
      </div>
    </div>
  `;
}

/** @param {{box: Box, width: number, cards: Shown[], bot: string|null, pick: (bot: string) => void, final: boolean}} props */
function Pairing({ box: { match, x, y }, width, cards, bot, pick, final }) {
  const chip = isOpen(match) ? playWords(match, cards) : match.decided.replace(/^bye$/, ""); // a bye stands in its own place
  return html`
    <div class="pairing" ...${at({ left: x, top: y, width, height: SIZE.height })} data-open=${isOpen(match) ? "" : null} data-final=${final ? "" : null}>
      <ol aria-label=${match.id}>${[0, 1].map((place) => html`<${Side} key=${place} match=${match} place=${place} bot=${bot} pick=${pick} />`)}</ol>
      ${chip && html`<span class="chip">${chip}</span>`}
    </div>
  `;
}

/**
 * @param {BracketMatch} match
 * @param {Shown[]} cards
 */
function playWords({ bots, encounters }, cards) {
  const here = cards.filter(({ summary }) => summary.seats.length === bots.length && summary.seats.every(({ bot }) => bots.includes(bot)));
  if (here.length === 1) return `ply ${here[0].summary.view.ply}`;
  if (here.length) return `${here.length} matches in play`;
  return encounters.length ? "waiting to play" : "";
}

/** @param {{match: BracketMatch, place: number, bot: string|null, pick: (bot: string) => void}} props */
function Side({ match, place, bot, pick }) {
  const name = match.bots[place] ?? null;
  if (name === null) return html`<li class="unknown">${comer(match, place)}</li>`;
  const seed = match.seeds[place];
  const made = match.decided === "bye" ? "" : points(match.scores[place] ?? 0);
  return html`
    <li data-won=${match.winner === name ? "" : null} data-lost=${match.winner !== null && match.winner !== name ? "" : null} data-way=${name === bot ? "" : null}>
      <span class="seed" aria-label=${seed ? `seed ${seed}` : null}>${seed ?? ""}</span>
      <a class="bracket-bot" href=${to("bots", name)} aria-label=${`${name}: its page`} title=${`${name}: its page`}><${Face} name=${name} /></a>
      <button type="button" aria-pressed=${name === bot} aria-label=${`${name}: show its way`} title=${name} onClick=${() => pick(name)}><${BotName} name=${name} /></button>
      <span class="made">${match.encounters.length || match.winner ? made : ""}</span>
    </li>
  `;
}
