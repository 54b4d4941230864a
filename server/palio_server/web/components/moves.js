/**
 * The move list: one line a ply, rejected moves in their place with the reason; of a race, all entrants' or one's.
 *
 * @typedef {object} List  what every line needs
 * @property {SeatOf[]} seats
 * @property {number} ply  that is shown
 * @property {(step: Step) => void} go
 * @property {Map<number, JudgedPly>} marks
 * @property {Scene|null} scene  whose pieces stand for the seats
 * @property {boolean} race
 * @property {boolean} deep  whether there is room for the depth; else it stands beside the board alone
 * @property {boolean} named  whether a line names its entrant
 * @property {number} wide  columns beside the first one
 * @property {number|null} strikes  refused moves that cost the match
 * @property {Map<RejectedMoveView, number>} counts  which of its seat's refused moves each is, from 1
 */

/** @import { EventOn } from "../lib/html.js" */
/** @import { JudgedPly, PlyView, RejectedMoveView, Result, Scene, SeatOf } from "../types/wire.js" */
/** @import { Step } from "../lib/replay.js" */

import { whyMarked } from "../lib/analysis.js";
import { duration } from "../lib/clock.js";
import { useMedia } from "../lib/hooks.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { DONE, isNoMove, OUT } from "../lib/race.js";
import { around, rows } from "../lib/replay.js";
import { lastWords, refusedBefore, strikesOf } from "../lib/refusals.js";
import { cause, plural } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { number } from "./info.js";
import { Token } from "./seat.js";

const MOST = 1000; // lines in the list at once
const ALL = "";

/**
 * @param {object} props
 * @param {PlyView[]} props.lines
 * @param {RejectedMoveView[]} props.refusals
 * @param {SeatOf[]} props.seats
 * @param {number} props.ply  that is shown
 * @param {boolean} props.live
 * @param {(step: Step) => void} props.go
 * @param {Map<number, JudgedPly>} [props.marks]  the plies that an analysis has marked
 * @param {number|null} [props.strikes]  refused moves that cost the match
 * @param {Result|null} [props.result]  why it ended stands below the last line, where it was a bot's fault
 * @param {Scene|null} [props.scene]  whose pieces stand for the seats
 * @param {boolean} [props.race]  lines name their entrants, and can be had of one alone
 */
export function Moves({ lines, refusals, seats, ply, live, go, marks = new Map(), strikes = null, result = null, scene = null, race = false }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const [only, setOnly] = useState(ALL);
  const shown = useMemo(() => {
    const of = (/** @type {{seat: number}} */ { seat }) => only === ALL || seat === Number(only);
    return rows(lines.filter(of), refusals.filter(of));
  }, [lines, refusals, only]);
  const { part, before, after } = around(shown, ply, MOST);
  const counts = useMemo(() => refusedBefore(refusals), [refusals]);
  const deep = !useMedia("(width < 40rem)") && !race;
  const list = { seats, scene, ply, go, marks, race, deep, strikes, counts, named: race && seats.length > 1, wide: race ? 2 : deep ? 4 : 3 };
  useLayoutEffect(() => keepInSight(box.current, live), [ply, live, shown.length]);
  return html`
    <section class="moves" data-race=${race ? "" : null} aria-labelledby="moves">
      <div class="moves-head">
        <h2 id="moves">Moves</h2>
        ${race && seats.length > 1 && html`<${Choice} seats=${seats} only=${only} choose=${setOnly} />`}
      </div>
      <div class="moves-box" ref=${box} tabindex="0" role="region" aria-labelledby="moves">
        ${
          shown.length || result
            ? html`<table>
                <thead>
                  <tr>
                    <th scope="col"><abbr title="ply">#</abbr></th>
                    <th scope="col">Move</th>
                    <th scope="col" class="num">Time</th>
                    ${deep && html`<th scope="col" class="num depth">Depth</th>`}
                    ${!race && html`<th scope="col" class="num score">Score</th>`}
                  </tr>
                </thead>
                <tbody>
                  ${before > 0 && html`<${Gap} key="before" count=${before} wide=${list.wide} />`}
                  ${part.map((row, i) => (row.kind === "line" ? line(row.line, list) : rejection(i, row.rejection, list)))}
                  ${after > 0 && html`<${Gap} key="after" count=${after} wide=${list.wide} />`}
                  ${!after && result && html`<${End} key="end" result=${result} seats=${seats} wide=${list.wide} />`}
                </tbody>
              </table>`
            : html`<p class="quiet">No move yet.</p>`
        }
      </div>
    </section>
  `;
}

/** @param {{seats: SeatOf[], only: string, choose: (only: string) => void}} props */
function Choice({ seats, only, choose }) {
  return html`
    <select aria-label="whose moves" value=${only} onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => choose(event.currentTarget.value)}>
      <option value=${ALL}>all entrants</option>
      ${seats.map(({ bot }, seat) => html`<option key=${seat} value=${seat}>${bot}</option>`)}
    </select>
  `;
}

/** @param {{count: number, wide: number}} props */
function Gap({ count, wide }) {
  return html`<tr class="gap"><td colspan=${wide + 1} class="quiet">${plural(count, "line")} more</td></tr>`;
}

/**
 * @param {PlyView} line
 * @param {List} list
 */
function line({ ply, seat, move, ms, info }, { seats, scene, ply: current, go, marks, race, deep, named }) {
  const here = ply === current;
  const judged = marks.get(ply);
  const { name, bot } = seats[seat] ?? {};
  return html`
    <tr key=${ply} class="line" aria-current=${here ? "step" : null}>
      <td class="num">${ply}</td>
      <td class="line-move">
        <button type="button" onClick=${() => go(ply)} aria-label=${`ply ${ply}: ${race ? bot : name} ${move}${judged?.mark ?? ""}`}>
          <${Token} seats=${seats} seat=${seat} scene=${scene} />
          ${named && html`<${BotName} name=${bot} />${" "}`}
          <span class=${isNoMove(move) ? "move quiet" : "move"}>${move}</span>
          ${judged && html`<${Mark} judged=${judged} race=${race} />`}
        </button>
      </td>
      <td class="num">${move === OUT || move === DONE ? "" : ms === null ? html`<span class="quiet">opening</span>` : duration(ms)}</td>
      ${deep && html`<td class="num">${info?.depth ?? ""}</td>`}
      ${
        !race &&
        html`<td class="num">${info?.score === undefined ? "" : number(info.score)}</td>`
      }
    </tr>
  `;
}

/** @param {{judged: JudgedPly, race: boolean}} props */
function Mark({ judged, race }) {
  return html`<abbr class="mark" data-mark=${judged.mark} title=${whyMarked(judged, race)}>${judged.mark}</abbr>`;
}

/**
 * @param {number} index
 * @param {RejectedMoveView} rejected
 * @param {List} list
 */
function rejection(index, rejected, { seats, scene, wide, strikes, counts }) {
  const { seat, move, code, reason } = rejected;
  const count = counts.get(rejected) ?? 1;
  const most = strikesOf(rejected, count, strikes);
  return html`
    <tr key=${`rejection ${index}`} class="rejection">
      <td class="num"><span aria-hidden="true">✕</span></td>
      <td colspan=${wide}>
        <strong>Refused, ${count}${most && ` of ${most}`}:</strong>${" "}
        <${Token} seats=${seats} seat=${seat} scene=${scene} />${" "}
        <${BotName} name=${seats[seat]?.bot} /> sent <s class="move">${move}</s>.${" "}
        <q class="reason" title=${code}>${reason}</q>
      </td>
    </tr>
  `;
}

/**
 * The end of a match by a fault of a bot, and its last words.
 *
 * @param {{result: Result, seats: SeatOf[], wide: number}} props
 */
function End({ result, seats, wide }) {
  if (result.termination === "rule" || result.reason === "aborted" || (result.termination === "adjudicated" && !result.detail)) return null;
  const words = lastWords(result.detail);
  return html`
    <tr class="rejection end-row">
      <td class="num"><span aria-hidden="true">✕</span></td>
      <td colspan=${wide}>
        <strong>The end:</strong> ${cause(result, seats)}
        ${words.length === 1 && html`. <q class="reason">${words[0]}</q>`}
        ${words.length > 1 && html`
          <p>What the bot said last:</p><pre class="last-words" tabindex="0">${words.join("\n")}</pre>
        `}
      </td>
    </tr>
  `;
}

/**
 * Scroll the list, never the page: to its end while live, else so far that the current line shows.
 *
 * @param {HTMLElement|null} box
 * @param {boolean} live
 */
function keepInSight(box, live) {
  if (!box) return;
  if (live) {
    box.scrollTop = box.scrollHeight;
    return;
  }
  /** @type {HTMLElement|null} */
  const current = box.querySelector("[aria-current]");
  const head = box.querySelector("thead")?.offsetHeight ?? 0;
  if (!current) {
    box.scrollTop = 0;
  } else if (current.offsetTop < box.scrollTop + head) {
    box.scrollTop = current.offsetTop - head;
  } else if (current.offsetTop + current.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = current.offsetTop + current.offsetHeight - box.clientHeight;
  }
}
