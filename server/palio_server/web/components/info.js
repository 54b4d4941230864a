/** What the bot said about its thinking at the move that is shown. Its place is kept when it said nothing. */

/** @import { Info as Thinking, PlyView, Scene, SeatOf } from "../types/wire.js" */

import { duration } from "../lib/clock.js";
import { html } from "../lib/html.js";
import { costFacts } from "../lib/model_costs.js";
import { plural, short } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Token } from "./seat.js";

/** @param {{lines: PlyView[], ply: number, seats: SeatOf[], scene?: Scene|null}} props */
export function Info({ lines, ply, seats, scene = null }) {
  const line = lines[ply - 1];
  return html`
    <section class="info" aria-label="what the bot thought">
      ${
        line
          ? html`<p class="info-move">
                <${Token} seats=${seats} seat=${line.seat} scene=${scene} />
                <${BotName} name=${seats[line.seat]?.bot} /> <strong class="move">${line.move}</strong>
                <span class="quiet">${line.ms === null ? "opening" : duration(line.ms)}</span>
              </p>
              <${Thought} info=${line.info} />`
          : html`<p class="quiet">The first position.</p>`
      }
    </section>
  `;
}

/** @param {{info: Thinking|null}} props */
function Thought({ info }) {
  if (!info) return html`<p class="quiet thought">${" "}</p>`;
  const { depth, seldepth, score, wdl, nodes, nps, hashfull, tbhits, pv, text } = info;
  const facts = [
    depth !== undefined && (seldepth === undefined ? `depth ${depth}` : `depth ${depth}/${seldepth}`),
    score !== undefined && `score ${number(score)}`,
    nodes !== undefined && `${short(nodes)} ${nodes === 1 ? "node" : "nodes"}`,
    wdl !== undefined && `won ${wdl[0]} drawn ${wdl[1]} lost ${wdl[2]} of 1000`,
    nps !== undefined && `${short(nps)} nodes/s`,
    hashfull !== undefined && `table ${(hashfull / 10).toFixed(0)} % full`,
    tbhits !== undefined && tbhits > 0 && `${short(tbhits)} tablebase ${tbhits === 1 ? "hit" : "hits"}`,
    ...costFacts(info),
  ].filter(Boolean);
  return html`
    <p class="thought">
      ${facts.join(" · ")}
      ${pv !== undefined && pv.length > 0 && html`<span class="pv" title=${`principal variation, ${plural(pv.length, "ply", "plies")}`}>${pv.join(" ")}</span>`}
      ${text && text !== pv?.join(" ") && html`<q>${text}</q>`}
    </p>
  `;
}

/**
 * A score with its sign, in few digits: engines write a won game as a very large number.
 *
 * @param {number} score
 */
export function number(score) {
  const size = Math.abs(score);
  const digits = Number.isInteger(size) || size >= 1000 ? short(Math.round(size)) : size.toFixed(2);
  return `${score > 0 ? "+" : score < 0 ? "−" : ""}${digits}`;
}
