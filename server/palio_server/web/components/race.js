/** A race, large: how all stand, everybody's board, one of them large; live, or step by step. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { MatchState } from "../lib/fold.js" */
/** @import { Step } from "../lib/replay.js" */
/** @import { ClockState } from "../lib/clock.js" */

import { marked } from "../lib/analysis.js";
import { timeControl } from "../lib/clock.js";
import { html, useMemo, useState } from "../lib/html.js";
import { gap } from "../lib/gap.js";
import { ghosts } from "../lib/ghosts.js";
import { boardsAt, boardsByEntrant, costs, places } from "../lib/race.js";
import { viewAt } from "../lib/replay.js";
import { asking, to } from "../lib/router.js";
import { useStepping } from "../lib/stepping.js";
import { announce, cause, verdict, wentBack } from "../lib/words.js";
import { AnalyseButton } from "./analyse_button.js";
import { Analysis, useAnalysis } from "./analysis.js";
import { Board } from "./board.js";
import { BotLink } from "./bot_name.js";
import { CostChart } from "./cost_chart.js";
import { Failure } from "./empty.js";
import { Facts } from "./facts.js";
import { Info } from "./info.js";
import { Lanes, Leader } from "./lanes.js";
import { MatchEvent, useAbout } from "./match_event.js";
import { More } from "./more.js";
import { Moves } from "./moves.js";
import { Standings } from "./standings.js";
import { Steps, useSwipe } from "./steps.js";

const LANES = 12; // entrants whose boards are all drawn; of more, the standings are the list to choose from

/** @param {{state: MatchState, path: string, query?: URLSearchParams, games: GameItem[], stale: boolean}} props */
export function Race({ state, path, query, games, stale }) {
  const { summary, lines, refusals } = state;
  const { seats, title, result, view: newest } = summary;
  const stepping = useStepping(state, path, query);
  const { cursor, live, ply, range, views, go, error, refresh } = stepping;
  const [picked, pick] = useState(/** @type {number|null} */ (null)); // an entrant whose board is to be large; null: whoever is ahead
  const swipe = useSwipe(go);
  const view = viewAt(views, cursor, newest);
  const standings = useMemo(() => places(view.race ?? [], live ? result : null), [view.race, live, result]);
  const lists = useMemo(() => boardsByEntrant(views, seats.length), [views]);
  const boards = live ? state.boards : boardsAt(lists, ply, views[0] ?? state.boards[0]);
  const shown = picked ?? standings[0].seat;
  const faint = useMemo(() => ghosts(standings, boards, shown), [standings, boards, shown]);
  const place = standings.find(({ seat }) => seat === shown);
  const curves = useMemo(() => costs(lines, seats.length), [lines]);
  /** @type {ClockState} */
  const clocks = live ? { ...state, running: state.running && !stale } : { clocks: view.clocks_ms, movesToGo: view.moves_to_go, at: 0, running: false };
  const alone = seats.length === 1;
  const about = useAbout(summary);
  const analysis = useAnalysis(path, Boolean(result), state.analyses);
  const link = new URL(asking(to("match", summary.match), { ply }), document.baseURI).href;
  return html`
    <div class="match race" data-lanes=${alone || seats.length > LANES ? null : ""}>
      <header class="match-head">
        <h1 class="match-title">
          <span class="match-game">${title}</span><span class="unseen">: a race of </span>
          <span class="match-bots">${seats.map(({ bot }, seat) => html`${seat > 0 && ", "}<${BotLink} key=${bot} name=${bot} plain />`)}</span>
        </h1>
        <${MatchEvent} summary=${summary} about=${about} />
      </header>
      <${Verdict} state=${state} live=${live} go=${go} />
      <div class="stage" aria-busy=${view.ply === ply ? null : "true"} ...${swipe}>
        <${Leader} place=${place} seats=${seats} follows=${picked === null} follow=${() => pick(null)} gap=${curves ? gap(place?.cost ?? null, view.bound) : ""} />
        <${Board} key=${shown} view=${boards[shown]} seats=${seats} title=${title} entrant=${shown} ghosts=${faint} />
      </div>
      ${!alone && seats.length <= LANES && html`<${Lanes} standings=${standings} boards=${boards} seats=${seats} title=${title} shown=${shown} pick=${pick} />`}
      <${Steps} stepping=${stepping} over=${Boolean(result)} link=${link} trial=${about.item?.archived ? null : asking(to("try", summary.game), { match: summary.match, ply, seat: String(shown) })} />
      ${state.wentBack !== null && !result && html`<p class="note">${wentBack(state.wentBack)}</p>`}
      ${error && !live && !about.item?.archived && html`<${Failure} error=${error} retry=${refresh} />`}
      <div class="race-thought">
        <${Info} lines=${lines} ply=${ply} seats=${seats} />
        ${result && !about.item?.archived && html`<${AnalyseButton} path=${path} known=${analysis !== null} version=${state.analyses} />`}
      </div>
      ${analysis && html`<div class="graphs"><${Analysis} analysis=${analysis} seats=${seats} ply=${ply} last=${range.last} go=${go} /></div>`}
      <div class="race-side">
        <${Standings} standings=${standings} summary=${summary} clocks=${clocks} live=${live} shown=${shown} pick=${pick} />
        ${curves && html`<${CostChart} lines=${lines} curves=${curves} ply=${ply} standings=${standings} seats=${seats} shown=${shown} />`}
        <${Moves} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} live=${live} go=${go} marks=${marked(analysis)} strikes=${about.item?.setup.strikes ?? null} result=${result} race />
      </div>
      <${Facts} summary=${summary} about=${about} games=${games} viewers=${state.viewers} />
      <${More} path=${path} over=${Boolean(result)} archived=${Boolean(about.item?.archived)} text=${boards[shown].text} ply=${ply} drawn=${Boolean(boards[shown].scene)} />
      <p class="unseen" aria-live="polite">${announce(state.news, summary)}</p>
    </div>
  `;
}

/** @param {{state: MatchState, live: boolean, go: (step: Step) => void}} props */
function Verdict({ state: { summary, running }, live, go }) {
  const { seats, result, time, view } = summary;
  const racing = (view.race ?? []).filter(({ end }) => end === null).length;
  const going = seats.length === 1 ? "Being played" : `${racing} of ${seats.length} still racing`;
  return html`
    <div class="scoreboard">
      <p class="verdict" data-over=${result && live ? "" : null}>
        ${
          result
            ? html`<strong>${verdict(result, seats)}</strong> <span>${cause(result, seats)}</span>`
            : html`<span>${running ? going : "Waiting for the bots to get ready"}</span>`
        }
        ${" "}${
          live
            ? html`<span class="tc">${timeControl(time)}</span>`
            : html`<button type="button" class="to-end" onClick=${() => go("live")}>${result ? `go to the end, ply ${view.ply}` : "go to the newest ply"}</button>`
        }
      </p>
    </div>
  `;
}
