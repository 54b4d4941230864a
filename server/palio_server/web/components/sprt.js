/** A sequential test: is the first stronger than the second? The verdict so far, the ratio over time, what it rests on. */

/** @import { SprtState, TournamentDetail } from "../types/wire.js" */
/** @import { PartProps } from "./tournament.js" */

import { about, lasted, signed, speed } from "../lib/event_words.js";
import { html } from "../lib/html.js";
import { between, judgement, played } from "../lib/sprt.js";
import { commandOf, faultLines } from "../lib/sprt_words.js";
import { BotLink } from "./bot_name.js";
import { CopyButton } from "./copy_button.js";
import { LlrGraph } from "./llr_graph.js";
import { PairBars } from "./pair_bars.js";
import { Playing } from "./playing.js";

/** @param {PartProps} props */
export function SprtPart({ event, cards }) {
  const { sprt } = event;
  if (!sprt) return [];
  return html`
    <${Gauge} test=${sprt} />
    <${Figures} event=${event} test=${sprt} />
    <div class="sprt">
      <${LlrGraph} test=${sprt} />
      <${PairBars} test=${sprt} />
    </div>
    <div class="sprt sprt-foot">
      <${Faults} event=${event} />
      <${Again} event=${event} />
    </div>
    <${Playing} cards=${cards} />
  `;
}

/** @param {{event: TournamentDetail}} props */
function Faults({ event }) {
  const lines = faultLines(event.faults);
  return html`
    <section class="panel" aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      ${
        lines.length
          ? html`<ul>${lines.map(({ bot, text }) => html`<li key=${`${bot} ${text}`}><${BotLink} name=${bot} plain /> lost ${text}</li>`)}</ul>`
          : html`<p class="sprt-clean"><strong>None.</strong> No illegal move, no time loss, no crash on either side.</p>`
      }
    </section>
  `;
}

/** @param {{event: TournamentDetail}} props */
function Again({ event }) {
  const command = commandOf(event);
  return html`
    <section class="panel" aria-labelledby="again">
      <h2 id="again">Again from the command line</h2>
      <div class="copied-text"><pre tabindex="0" aria-label="the command">${command}</pre><${CopyButton} text=${command} label="copy the command" /></div>
      <p class="note">In place of each PROGRAM stands what starts the bot: a file, a module, or a command in quotes.</p>
    </section>
  `;
}

/** @param {{test: SprtState}} props */
function Gauge({ test }) {
  const { word, sentence, side } = judgement(test);
  const [here, zero] = [between(test), between({ ...test, llr: 0 })].map((share) => 8 + share * 984);
  return html`
    <section class="panel llr-gauge" data-side=${side} aria-labelledby="verdict">
      <p class="gauge-head">
        <span><strong id="verdict" class="test-verdict">${word}</strong> ${sentence}</span>
        <span class="gauge-llr">LLR <strong>${signed(test.llr, 2)}</strong></span>
      </p>
      <svg viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label=${`the ratio is ${signed(test.llr, 2)}, between ${signed(test.lower, 2)} and ${signed(test.upper, 2)}`}>
        <rect class="rail" x="0" y="7" width="1000" height="10" rx="5" />
        <rect class=${test.llr < 0 ? "fill less" : "fill more"} x=${Math.min(here, zero)} y="7" width=${Math.abs(here - zero)} height="10" />
        <path class="zero" d=${`M${zero} 2v20`} />
        <rect class=${test.llr < 0 ? "mark less" : "mark more"} x=${here - 4} y="1" width="8" height="22" rx="3" />
      </svg>
      <p class="gauge-ends"><span>${signed(test.lower, 2)} <small>not stronger</small></span><span><small>stronger</small> ${signed(test.upper, 2)}</span></p>
    </section>
  `;
}

/**
 * @param {string} from
 * @param {string} until
 */
function seconds(from, until) {
  return (Date.parse(until) - Date.parse(from)) / 1000;
}

/** @param {{event: TournamentDetail, test: SprtState}} props */
function Figures({ event, test }) {
  const { games_per_s: rate, seconds_left: left, stage, finished_at: end, starts_at: starts, created_at: created, pair_figures: pairs } = event;
  const runs = stage === "running" && rate !== null;
  const figures = [
    { name: "Elo", value: test.elo === null ? "–" : signed(test.elo, 1), aside: test.elo_error === null ? "" : `±${test.elo_error.toFixed(1)}`, note: "with the 95 % interval" },
    ...(pairs ? [{ name: "Normalised Elo", value: signed(pairs.nelo, 1), aside: `±${pairs.nelo_error.toFixed(1)}`, note: "in standard deviations of a game" }] : []),
    { name: "Games", value: played(test).toLocaleString("en"), aside: "", note: `${test.first}: ${test.wins} won, ${test.draws} drawn, ${test.losses} lost` },
    { name: "Likely superior", value: `${(100 * test.los).toFixed(1)} %`, aside: "", note: "LOS, without the stopping rule" },
    end ? { name: "Took", value: lasted(seconds(starts ?? created, end)), aside: "", note: "from its start to the decision" } : { name: "Speed", value: runs ? speed(rate).split(" ")[0] : "–", aside: runs ? speed(rate).split(" ")[1] : "", note: runs && left !== null ? `${about(left)} left, if it goes on like this` : "" },
  ];
  return html`
    <dl class="figures">
      ${figures.map(({ name, value, aside, note }) => html`<div key=${name} class="panel"><dt>${name}</dt><dd><strong>${value}</strong> ${aside}<small>${note}</small></dd></div>`)}
    </dl>
  `;
}
