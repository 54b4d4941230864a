/**
 * What was found out about a finished match: of a race a graph, click to jump to a ply; and the worst plies in words.
 *
 * @typedef {{seat: number, points: Point[]}} Curve
 * @typedef {((at: number) => number) & Span} Height
 */

/** @import { Analysis as Judged, JudgedPly, Scene, SeatOf } from "../types/wire.js" */
/** @import { Point } from "../lib/analysis.js" */
/** @import { Scale, Span } from "../lib/chart.js" */

import { curves, marked, whyMarked } from "../lib/analysis.js";
import { scale, ticks } from "../lib/chart.js";
import { useJson } from "../lib/hooks.js";
import { html, useMemo } from "../lib/html.js";
import { plural } from "../lib/words.js";
import { seatClass, Token } from "./seat.js";

const [WIDTH, HEIGHT] = [640, 150];
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 632, 10, 128]; // the edges of the plot
const LISTED = 12; // marked plies in words

/**
 * The analysis of a match, null as long as there is none: one in progress has none. `path` is for an address; it is asked
 * for again when `version` changes.
 *
 * @param {string} path
 * @param {boolean} over
 * @param {number} version
 * @returns {Judged|null}
 */
export function useAnalysis(path, over, version) {
  const { value } = useJson(over ? `matches/${path}/analysis` : null, version);
  return value?.plies?.length ? value : null;
}

/**
 * The moves that remain for each entrant of a race, as a graph.
 *
 * @param {object} props
 * @param {Judged} props.analysis
 * @param {SeatOf[]} props.seats
 * @param {number} props.ply  that is shown
 * @param {number} props.last
 * @param {(step: number) => void} props.go
 */
export function Analysis({ analysis, seats, ply, last, go }) {
  const lines = useMemo(() => curves(analysis.plies, seats.length, true), [analysis, seats.length]);
  const all = useMemo(() => [...marked(analysis).values()], [analysis]);
  const marks = all.filter(({ mark }) => mark === "??"); // a wasted move is nothing to point at
  if (!lines.length) return null;
  const x = scale([0, last], LEFT, RIGHT);
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ at }) => at)));
  const remain = (/** @type {number} */ at) => BOTTOM - ((BOTTOM - TOP) * at) / most;
  const y = Object.assign(remain, { least: 0, most, log: false });
  const jump = (/** @type {MouseEvent & {currentTarget: Element}} */ event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    go(Math.max(0, Math.min(last, Math.round(((at - LEFT) / (RIGHT - LEFT)) * last))));
  };
  return html`
    <section class="analysis" aria-labelledby="analysis">
      <h2 id="analysis">Analysis <span class="quiet">moves that remain</span></h2>
      <svg
        class="chart"
        viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label=${`moves that remain after each ply; ${plural(marks.length, "marked move")}`}
        onClick=${jump}
      >
        ${levels(y)}
        <path class="axis" d=${`M${LEFT} ${BOTTOM}H${RIGHT}`} />
        ${ticks({ least: 0, most: last, log: false }, 6)
          .filter(Number.isInteger)
          .map((number) => html`<text key=${number} class="x" x=${x(number)} y=${HEIGHT - 6}>${number}</text>`)}
        ${lines.map(({ seat, points }) => html`
          <g key=${seat} class=${`curve ${seatClass(seats, seat)}`}>
            <path d=${points.map(({ ply: at, at: value }, i) => `${i ? "L" : "M"}${x(at)} ${round(y(value))}`).join("")} />
          </g>
        `)}
        ${marks.map((judged) => html`<${Blunder} key=${judged.ply} judged=${judged} lines=${lines} x=${x} y=${y} />`)}
        <path class="here" d=${`M${x(Math.min(ply, last))} ${TOP}V${BOTTOM}`} />
      </svg>
      <${Incomplete} analysis=${analysis} />
      <p class="quiet">${wasted(all, seats)}</p>
      ${marks.length > 0 && html`<${Marks} marks=${marks} seats=${seats} ply=${ply} go=${go} race />`}
    </section>
  `;
}

/**
 * What an analysis says of a match at a table: the worst plies in words; their graph is the one of the chances.
 *
 * @param {{analysis: Judged, seats: SeatOf[], scene: Scene|null, ply: number, go: (step: number) => void}} props
 */
export function Findings({ analysis, seats, scene, ply, go }) {
  const marks = useMemo(() => [...marked(analysis).values()], [analysis]);
  return html`
    <section class="analysis panel" aria-labelledby="analysis">
      <h2 id="analysis">Analysis</h2>
      <${Incomplete} analysis=${analysis} />
      ${marks.length > 0 ? html`<${Marks} marks=${marks} seats=${seats} scene=${scene} ply=${ply} go=${go} race=${false} />` : html`<p class="quiet">No move gave the result away.</p>`}
    </section>
  `;
}

/** @param {{analysis: Judged}} props */
function Incomplete({ analysis }) {
  if (analysis.complete) return null;
  return html`<p class="quiet">${plural(analysis.plies.length, "position")} looked at, then interrupted.</p>`;
}

/** @param {Height} y */
function levels(y) {
  return ticks(y, 3).map((moves) => html`
    <path key=${`l${moves}`} class="grid" d=${`M${LEFT} ${round(y(moves))}H${RIGHT}`} />
    <text key=${`t${moves}`} class="y" x=${LEFT - 6} y=${round(y(moves)) + 4}>${moves}</text>
  `);
}

/** @param {{judged: JudgedPly, lines: Curve[], x: Scale, y: (at: number) => number}} props */
function Blunder({ judged, lines, x, y }) {
  const own = lines.find(({ seat }) => seat === judged.seat) ?? lines[0];
  const point = own.points.find(({ ply }) => ply === judged.ply);
  if (!point) return null;
  return html`<circle class="blunder" data-mark=${judged.mark} cx=${x(judged.ply)} cy=${round(y(point.at))} r=${judged.mark === "??" ? 5 : 3.5} />`;
}

/**
 * The worst plies in words, each a button that leads there.
 *
 * @param {{marks: JudgedPly[], seats: SeatOf[], scene?: Scene|null, ply: number, go: (ply: number) => void, race: boolean}} props
 */
function Marks({ marks, seats, scene = null, ply, go, race }) {
  const worst = marks.filter(({ mark }) => mark === "??");
  const shown = (worst.length ? worst : marks).slice(0, LISTED);
  const rest = marks.length - shown.length;
  return html`
    <ul class="marks">
      ${shown.map((judged) => html`
        <li key=${judged.ply}>
          <button type="button" aria-current=${judged.ply === ply ? "step" : null} onClick=${() => go(judged.ply)}>
            <${Token} seats=${seats} seat=${judged.seat} scene=${scene} />
            <span>${judged.ply}. <span class="move">${judged.move}</span> <span class="mark" data-mark=${judged.mark}>${judged.mark}</span></span>
            <span class="quiet">${whyMarked(judged, race)}</span>
          </button>
        </li>
      `)}
      ${rest > 0 && html`<li class="quiet">and ${plural(rest, "more mark")} in the list of moves</li>`}
    </ul>
  `;
}

/**
 * Who of a race has wasted how many moves, in the order of entrants.
 *
 * @param {JudgedPly[]} marks
 * @param {SeatOf[]} seats
 */
function wasted(marks, seats) {
  const counts = seats.map(({ bot }, seat) => `${bot} ${marks.filter((judged) => judged.seat === seat).length}`);
  const more = counts.length > LISTED ? ` and ${counts.length - LISTED} more` : "";
  return `Moves that brought nothing: ${counts.slice(0, LISTED).join(", ")}${more}`;
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 10) / 10;
}
