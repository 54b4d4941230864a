/** The move list: one line a ply, refused moves in their place with the reason. */

import { duration } from "../lib/clock.js";
import { html, useLayoutEffect, useMemo, useRef } from "../lib/html.js";
import { rows } from "../lib/replay.js";
import { plural } from "../lib/words.js";
import { number } from "./info.js";
import { Token } from "./seat.js";

export function Moves({ lines, refusals, seats, ply, live, go }) {
  const box = useRef(null);
  const shown = useMemo(() => rows(lines, refusals), [lines, refusals]);
  useLayoutEffect(() => keepInSight(box.current, live), [ply, live, shown.length]);
  return html`
    <section class="moves" aria-labelledby="moves">
      <h2 id="moves">Moves</h2>
      <div class="moves-box" ref=${box} tabindex="0" role="region" aria-labelledby="moves">
        ${
          shown.length
            ? html`<table>
                <thead>
                  <tr>
                    <th scope="col"><abbr title="ply">#</abbr></th>
                    <th scope="col">Move</th>
                    <th scope="col" class="num">Time</th>
                    <th scope="col" class="num">Depth</th>
                    <th scope="col" class="num">Score</th>
                  </tr>
                </thead>
                <tbody>
                  ${shown.map((row, i) => (row.kind === "line" ? line(row.line, seats, ply, go) : refusal(i, row.refusal, seats)))}
                </tbody>
              </table>`
            : html`<p class="quiet">No move yet.</p>`
        }
      </div>
    </section>
  `;
}

function line({ ply, seat, move, ms, info }, seats, current, go) {
  const here = ply === current;
  return html`
    <tr key=${ply} class="line" aria-current=${here ? "step" : null}>
      <td class="num">${ply}</td>
      <td>
        <button type="button" onClick=${() => go(ply)} aria-label=${`ply ${ply}: ${seats[seat]?.name} ${move}`}>
          <${Token} seats=${seats} seat=${seat} /><span class="move">${move}</span>
        </button>
      </td>
      <td class="num">${ms === null ? html`<span class="quiet">opening</span>` : duration(ms)}</td>
      <td class="num">${info?.depth ?? ""}</td>
      <td class="num">${info?.score === undefined ? "" : number(info.score)}</td>
    </tr>
  `;
}

function refusal(index, { seat, move, code, reason, strikes_left: left }, seats) {
  return html`
    <tr key=${`refusal ${index}`} class="refusal">
      <td class="num"><span aria-hidden="true">✕</span></td>
      <td colspan="4">
        <${Token} seats=${seats} seat=${seat} />${" "}
        <span class="bot">${seats[seat]?.bot}</span> <span class="unseen">was refused</span> <s class="move">${move}</s>
        <span class="reason" title=${code}>${reason}</span>
        ${left !== null && left !== undefined && html` <span class="strikes">${plural(left, "strike")} left</span>`}
      </td>
    </tr>
  `;
}

/** Scroll the list, never the page: to its end while live, else so far that the current line shows. */
function keepInSight(box, live) {
  if (live) {
    box.scrollTop = box.scrollHeight;
    return;
  }
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
