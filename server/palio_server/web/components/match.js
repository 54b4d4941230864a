/** One match, large: live, or step by step. */

/** @import { Summary } from "../types/wire.js" */
/** @import { MatchState } from "../lib/fold.js" */

import { marked } from "../lib/analysis.js";
import { foldMatch } from "../lib/fold.js";
import { useFollow, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { isRace, OUT } from "../lib/race.js";
import { viewAt } from "../lib/replay.js";
import { to } from "../lib/router.js";
import { useStepping } from "../lib/stepping.js";
import { announce } from "../lib/words.js";
import { Analysis, useAnalysis } from "./analysis.js";
import { Board } from "./board.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Info } from "./info.js";
import { MatchEvent } from "./match_event.js";
import { More } from "./more.js";
import { Moves } from "./moves.js";
import { Race } from "./race.js";
import { Scoreboard } from "./scoreboard.js";
import { Steps, useSwipe } from "./steps.js";

/** @param {{id: string}} props */
export function Match({ id }) {
  const path = encodeURIComponent(id);
  const { state, status } = useFollow(`ws/live/${path}`, foldMatch);
  const names = state ? heading(state.summary) : `Match ${id}`;
  useTitle(names);
  if (status === "gone") {
    return html`
      <h1>${names}</h1>
      <${Empty} title="This match is not known here."><a href=${to("lobby")}>See what is being played</a></${Empty}>
    `;
  }
  return html`
    <${Connection} status=${status} />
    ${
      state
        ? html`<${isRace(state.summary) ? Race : Table} state=${state} path=${path} />`
        : html`<h1>${names}</h1><div class="waiting" aria-busy="true"><p>Loading the match …</p></div>`
    }
  `;
}

const NAMED = 4; // bots in the title of the window

/** @param {Summary} summary */
function heading(summary) {
  const bots = summary.seats.map(({ bot }) => bot);
  if (!isRace(summary)) return bots.join(" – ");
  const more = bots.length > NAMED ? ` and ${bots.length - NAMED} more` : "";
  return `${summary.title}: ${bots.slice(0, NAMED).join(", ")}${more}`;
}

/** @param {{state: MatchState, path: string}} props */
function Table({ state, path }) {
  const { summary, lines, refusals } = state;
  const { seats, title, view: newest } = summary;
  const stepping = useStepping(state, path);
  const { cursor, live, ply, range, views, go, error, refresh } = stepping;
  const swipe = useSwipe(go);
  const over = Boolean(summary.result);
  const analysis = useAnalysis(path, over, state.analyses);
  const view = viewAt(views, cursor, newest);
  const out = new Set(lines.filter((line) => line.move === OUT && line.ply <= ply).map(({ seat }) => seat));
  return html`
    <div class="match">
      <h1 class="match-title">
        <span class="match-game">${title}</span>
        <span class="unseen">: ${seats.map(({ bot }) => bot).join(" against ")}</span>
        <${MatchEvent} summary=${summary} />
      </h1>
      <${Scoreboard} state=${state} view=${view} live=${live} out=${out} />
      <div class="stage" aria-busy=${view.ply === ply ? null : "true"} ...${swipe}>
        <${Board} view=${view} before=${views[view.ply - 1]} seats=${seats} title=${title} />
      </div>
      <${Steps} cursor=${cursor} range=${range} over=${over} go=${go} />
      ${error && !live && html`<${Failure} error=${error} retry=${refresh} />`}
      <${Info} lines=${lines} ply=${ply} seats=${seats} />
      ${analysis && html`<${Analysis} analysis=${analysis} seats=${seats} ply=${ply} last=${range.last} go=${go} />`}
      <${Moves} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} live=${live} go=${go} marks=${marked(analysis)} />
      <${More} path=${path} over=${over} text=${view.text} />
      <p class="unseen" aria-live="polite">${announce(state.news, summary)}</p>
    </div>
  `;
}
