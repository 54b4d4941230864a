/** The graph of a match: what each bot thinks of its own chances, what an analysis found, where a move was refused or bad. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { Renderable } from "../vendor/preact.js" */
/** @import { Analysis, PlyView, RejectedMoveView, Scene, SeatOf } from "../types/wire.js" */
/** @import { Step } from "../lib/replay.js" */

import { curves as foundCurves, marked, provenStretches, shareAt } from "../lib/analysis.js";
import { across, at, chances, foundPath, height, pathOf, toldAt } from "../lib/chances.js";
import { html, useMemo } from "../lib/html.js";
import { BotName } from "./bot_name.js";
import { number } from "./info.js";
import { seatClass, Token } from "./seat.js";

/**
 * @param {object} props
 * @param {PlyView[]} props.lines
 * @param {RejectedMoveView[]} props.refusals
 * @param {SeatOf[]} props.seats
 * @param {number} props.ply  that is shown
 * @param {number} props.last
 * @param {boolean} props.over
 * @param {(step: Step) => void} props.go
 * @param {Analysis|null} props.analysis
 * @param {Scene|null} [props.scene]  whose pieces stand for the seats
 * @param {Renderable} [props.children]  what stands beside the heading
 */
export function Chances({ lines, refusals, seats, ply, last, over, go, analysis, scene = null, children }) {
  const { curves, limit } = useMemo(() => chances(lines, seats.length), [lines, seats.length]);
  const marks = useMemo(() => [...marked(analysis).values()], [analysis]);
  const proven = useMemo(() => provenStretches(analysis?.plies ?? []), [analysis]);
  const found = useMemo(() => foundCurves(analysis?.plies ?? [], seats.length, false), [analysis, seats.length]);
  const known = curves.length > 0 || proven.length > 0 || found.length > 0;
  const jump = (/** @type {EventOn<HTMLElement> & MouseEvent} */ event) => {
    const box = event.currentTarget.getBoundingClientRect();
    go(Math.max(0, Math.min(last, Math.round(((event.clientX - box.left) / box.width) * last))));
  };
  const share = seats.length === 2 ? shareAt(analysis, ply) : null;
  const said = curves.map(({ seat, told }) => ({ seat, now: toldAt(told, ply) }));
  return html`
    <section class=${known || !over ? "chances panel" : "chances"} aria-labelledby="chances">
      <div class="chances-head">
        <h2 id="chances">Chances</h2>
        ${!known && html`<p class="quiet">${over ? "These bots have told nothing of their scores." : "The graph grows with the first scores that a bot tells."}</p>`}
        ${children}
      </div>
      ${
        known || !over
          ? html`
              <div
                class="chances-plot"
                role="slider"
                tabindex="0"
                aria-label="place in the graph"
                aria-valuemin="0"
                aria-valuemax=${last}
                aria-valuenow=${ply}
                aria-valuetext=${[`ply ${ply}`, ...said.map(({ seat, now }) => (now ? `${seats[seat].bot} ${number(now.score)}` : "")), share === null ? "" : `analysis ${Math.round(100 * share)} % for ${seats[0].bot}`].filter(Boolean).join(", ")}
                onClick=${jump}
              >
                <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
                  ${proven.map(({ first, last: end, seat }) => html`<rect key=${`p${first}`} class=${`chances-proven ${seatClass(seats, seat)}`} x=${across(Math.max(0, first - 0.5), last)} width=${across(end + 0.5, last) - across(Math.max(0, first - 0.5), last)} y="0" height="100" />`)}
                  <path class="chances-grid" d="M0 0H100M0 50H100M0 100H100" />
                  ${found.map(({ seat, points }) => html`<path key=${`f${seat}`} class=${`chances-found ${seatClass(seats, seat)}`} d=${foundPath(points, last)} />`)}
                  ${curves.map((curve) => html`<path key=${curve.seat} class=${`chances-curve ${seatClass(seats, curve.seat)}`} data-dash=${curve.seat % 4} d=${pathOf(curve, last)} />`)}
                </svg>
                ${marks.map((judged) => html`<i key=${`m${judged.ply}`} class="chances-mark" data-mark=${judged.mark} ...${at({ left: across(judged.ply, last) })}></i>`)}
                ${refusals.map((refusal, index) => html`<i key=${`r${index}`} class="chances-mark" data-mark="refused" ...${at({ left: across(refusal.ply, last) })}></i>`)}
                <i class="chances-here" ...${at({ left: across(ply, last) })}></i>
                ${said.map(({ seat, now }, index) => now && html`<i key=${`d${seat}`} class=${`chances-dot ${seatClass(seats, seat)}`} ...${at({ left: across(now.ply, last), top: 100 * height(now.score, curves[index].limit) })}></i>`)}
                ${[1, 0, -1].map((side) => html`<span key=${`y${side}`} class="chances-y" ...${at({ top: 50 - 50 * side })}>${side ? (limit === null ? (side > 0 ? "better" : "worse") : number(side * limit)) : "0"}</span>`)}
                <span class="chances-x" data-first="">0</span><span class="chances-x" data-last="">${last}</span>
              </div>
              <ul class="chances-legend">
                ${found.length > 0 && html`<li><span class="chances-key" data-found=""></span> analysis${seats.length === 2 && ` for ${seats[0].bot}`}</li>`}
                ${curves.map(({ seat }) => html`<li key=${seat}><${Key} seats=${seats} seat=${seat} /><${Token} seats=${seats} seat=${seat} scene=${scene} /><${BotName} name=${seats[seat].bot} /></li>`)}
                ${proven.length > 0 && html`<li><span class="chances-shade"></span> proven</li>`}
                ${marks.length > 0 && html`<li><i class="chances-mark" data-mark="??"></i> blunder</li>`}
                ${refusals.length > 0 && html`<li><i class="chances-mark" data-mark="refused"></i> refused move</li>`}
                ${limit === null && curves.length > 1 && html`<li class="quiet">each line has a scale of its own: these bots count in different units</li>`}
              </ul>
            `
          : null
      }
    </section>
  `;
}

/**
 * A piece of the seat's line, dashes and all.
 *
 * @param {{seats: SeatOf[], seat: number}} props
 */
function Key({ seats, seat }) {
  return html`<svg class="chances-key" viewBox="0 0 24 8" aria-hidden="true"><path class=${`chances-curve ${seatClass(seats, seat)}`} data-dash=${seat % 4} d="M0 4H24" /></svg>`;
}
