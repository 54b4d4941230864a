/** One match, large: live, or step by step. */

/** @import { Analysis, GameItem, PlyView, SeatOf, Summary } from "../types/wire.js" */
/** @import { MatchState } from "../lib/fold.js" */

import { marked, shareAt } from "../lib/analysis.js";
import { foldMatch } from "../lib/fold.js";
import { useFollow, useTitle } from "../lib/hooks.js";
import { html, useMemo, useState } from "../lib/html.js";
import { balance, newestTold } from "../lib/opinions.js";
import { isRace, OUT } from "../lib/race.js";
import { viewAt } from "../lib/replay.js";
import { asking, to } from "../lib/router.js";
import { useStepping } from "../lib/stepping.js";
import { fromAbove } from "../lib/wall_order.js";
import { announce, wentBack } from "../lib/words.js";
import { AnalyseButton } from "./analyse_button.js";
import { Findings, useAnalysis } from "./analysis.js";
import { Board } from "./board.js";
import { Chances } from "./chances.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Facts } from "./facts.js";
import { Gauge } from "./gauge.js";
import { Info } from "./info.js";
import { Later } from "./later.js";
import { MatchEvent, useAbout, useRatings } from "./match_event.js";
import { More } from "./more.js";
import { Moves } from "./moves.js";
import { Scoreboard } from "./scoreboard.js";
import { Steps, useSwipe } from "./steps.js";

/** @param {{id: string, query?: URLSearchParams, games?: GameItem[]}} props */
export function Match({ id, query, games = [] }) {
  const path = encodeURIComponent(id);
  const { state, status, why } = useFollow(`ws/live/${path}`, foldMatch);
  const names = state ? heading(state.summary) : `Match ${id}`;
  useTitle(names);
  if (status === "gone") {
    return html`
      <h1>${names}</h1>
      <${Empty} title="This match is not known here."><a href=${to("lobby")}>See what is being played</a></${Empty}>
    `;
  }
  return html`
    <${Connection} status=${status} why=${why} />
    ${
      state
        ? shown(isRace(state.summary), { state, path, query, games, stale: status === "lost" })
        : html`<h1>${names}</h1><div class="waiting" aria-busy="true"><p>Loading the match …</p></div>`
    }
  `;
}

const loadRace = async () => (await import("./race.js")).Race;

/**
 * @param {boolean} race
 * @param {{state: MatchState, path: string, query?: URLSearchParams, games: GameItem[], stale: boolean}} props
 */
function shown(race, props) {
  return race ? html`<${Later} load=${loadRace} props=${props} />` : html`<${Table} ...${props} />`;
}

const NAMED = 4; // bots in the title of the window

/** @param {Summary} summary */
function heading(summary) {
  const bots = summary.seats.map(({ bot }) => bot);
  if (!isRace(summary)) return bots.join(" – ");
  const more = bots.length > NAMED ? ` and ${bots.length - NAMED} more` : "";
  return `${summary.title}: ${bots.slice(0, NAMED).join(", ")}${more}`;
}

/**
 * "ada against grace", "Torre, Drago and Onda".
 *
 * @param {string[]} bots
 */
function together(bots) {
  return bots.length > 2 ? `${bots.slice(0, -1).join(", ")} and ${bots.at(-1)}` : bots.join(" against ");
}

/** @param {{state: MatchState, path: string, query?: URLSearchParams, games: GameItem[], stale: boolean}} props */
function Table({ state, path, query, games, stale }) {
  const { summary, lines, refusals } = state;
  const { seats, title, result, view: newest } = summary;
  const stepping = useStepping(state, path, query);
  const { cursor, live, ply, range, views, go, loading, error, refresh } = stepping;
  const [flipped, setFlipped] = useState(false);
  const swipe = useSwipe(go);
  const over = Boolean(result);
  const about = useAbout(summary);
  const ratings = useRatings(summary);
  const analysis = useAnalysis(path, over, state.analyses);
  const marks = useMemo(() => marked(analysis), [analysis]);
  const pointed = useMemo(
    () => [...[...marks.values()].map((each) => ({ ply: each.ply, kind: each.mark ?? "" })), ...refusals.map((each) => ({ ply: each.ply, kind: "refused" }))],
    [marks, refusals],
  );
  const view = viewAt(views, cursor, newest);
  const out = new Set(lines.filter((line) => line.move === OUT && line.ply <= ply).map(({ seat }) => seat));
  const [below, above] = seats.length === 2 ? fromAbove(summary).reverse() : [null, null];
  const upper = flipped ? below : above;
  const link = new URL(asking(to("match", summary.match), { ply }), document.baseURI).href;
  const turning = { flipped, flip: () => setFlipped(!flipped) };
  return html`
    <div class="match">
      <header class="match-head">
        <h1 class="match-title">
          <span class="match-game">${title}</span><span class="unseen">: </span>
          <span class="match-bots">${together(seats.map(({ bot }) => bot))}</span>
        </h1>
        <${MatchEvent} summary=${summary} about=${about} />
      </header>
      <${Scoreboard} state=${state} view=${view} live=${live} out=${out} go=${go} ratings=${ratings} stale=${stale} upper=${upper} />
      <div class="stage" aria-busy=${view.ply === ply ? null : "true"} ...${swipe}>
        ${upper !== null && html`<${Standing} seats=${seats} lines=${lines} ply=${ply} analysis=${analysis} upper=${upper} />`}
        ${loading && view.ply !== ply ? html`<p class="stage-waits quiet">Loading the positions …</p>` : html`<${Board} view=${view} before=${views[view.ply - 1]} seats=${seats} title=${title} flipped=${flipped} />`}
      </div>
      <div class="match-side">
        <${Steps} stepping=${stepping} over=${over} link=${link} trial=${about.item?.archived ? null : asking(to("try", summary.game), { match: summary.match, ply })} turning=${turning} marks=${pointed} />
        ${state.wentBack !== null && !over && html`<p class="note">${wentBack(state.wentBack)}</p>`}
        ${error && !live && !about.item?.archived && html`<${Failure} error=${error} retry=${refresh} />`}
        <${Chances} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} last=${range.last} over=${over} go=${go} analysis=${analysis} scene=${newest.scene}>
          ${over && !about.item?.archived && html`<${AnalyseButton} path=${path} known=${analysis !== null} version=${state.analyses} />`}
        </${Chances}>
        <${Info} lines=${lines} ply=${ply} seats=${seats} scene=${newest.scene} />
        <${Moves} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} live=${live} go=${go} marks=${marks} strikes=${about.item?.setup.strikes ?? null} result=${result} scene=${newest.scene} />
      </div>
      <${Facts} summary=${summary} about=${about} games=${games} viewers=${state.viewers}>
        ${analysis && html`<${Findings} analysis=${analysis} seats=${seats} scene=${newest.scene} ply=${ply} go=${go} />`}
      </${Facts}>
      <${More} path=${path} over=${over} archived=${Boolean(about.item?.archived)} text=${view.text} ply=${ply} drawn=${Boolean(newest.scene)} game=${games.find(({ name }) => name === summary.game)} />
      <p class="unseen" aria-live="polite">${announce(state.news, summary)}</p>
    </div>
  `;
}

/**
 * How a duel stands at the ply that is shown: as the analysis found, else as the bots told.
 *
 * @param {{seats: SeatOf[], lines: PlyView[], ply: number, analysis: Analysis|null, upper: number}} props
 */
function Standing({ seats, lines, ply, analysis, upper }) {
  const found = shareAt(analysis, ply);
  const share = found ?? balance(newestTold(lines, 2, ply));
  const who = found === null ? "As the bots see it" : "As the analysis found";
  const words = share === null ? "The bots tell nothing of how they stand" : `${who}, ${Math.round(100 * share)} % for ${seats[0].bot}`;
  return html`<${Gauge} seats=${seats} share=${share} upper=${upper} words=${words} />`;
}
