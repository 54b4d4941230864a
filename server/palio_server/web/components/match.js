/** One match, large: live, or step by step. */

import { foldMatch } from "../lib/fold.js";
import { useFollow, useJson, useTitle } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { byPly, complete, LIVE, move, STEPS, viewAt } from "../lib/replay.js";
import { announce } from "../lib/words.js";
import { Board } from "./board.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Info } from "./info.js";
import { Moves } from "./moves.js";
import { Scoreboard } from "./scoreboard.js";
import { Steps, useSwipe } from "./steps.js";

export function Match({ id }) {
  const path = encodeURIComponent(id);
  const { state, status } = useFollow(`ws/live/${path}`, foldMatch);
  const names = state ? state.summary.seats.map(({ bot }) => bot).join(" – ") : `Match ${id}`;
  useTitle(names);
  if (status === "gone") {
    return html`
      <h1>${names}</h1>
      <${Empty} title="This match is not known here."><a href="#/">See what is being played</a><//>
    `;
  }
  return html`
    <${Connection} status=${status} />
    ${
      state
        ? html`<${Table} state=${state} path=${path} />`
        : html`<h1>${names}</h1><div class="waiting" aria-busy="true"><p>Taking a seat …</p></div>`
    }
  `;
}

function Table({ state, path }) {
  const { summary, lines, refusals } = state;
  const { seats, title, view: newest } = summary;
  const [cursor, setCursor] = useState(LIVE);
  const [asked, setAsked] = useState(false); // a live match's past is asked for when somebody wants to see it
  const over = Boolean(summary.result);
  const { value: replay, error, refresh } = useJson(asked || over ? `matches/${path}/replay` : null);
  const views = replay ? { ...byPly(replay.views), ...state.views } : state.views;
  const range = { first: 0, last: newest.ply };
  const go = (step) => {
    if (step !== "live" && !complete(views, range.first, range.last)) {
      setAsked(true);
      refresh();
    }
    setCursor((now) => move(now, step, range)); // not from `cursor`: keys may come faster than pictures
  };
  useKeys(go);
  const swipe = useSwipe(go);
  const ply = cursor ?? newest.ply;
  const view = viewAt(views, cursor, newest);
  return html`
    <div class="match">
      <h1 class="match-title">
        <span class="match-game">${title}</span>
        <span class="unseen">: ${seats.map(({ bot }) => bot).join(" against ")}</span>
        ${summary.event && html`<span class="match-event">${summary.event}</span>`}
      </h1>
      <${Scoreboard} state=${state} view=${view} live=${cursor === LIVE} />
      <div class="stage" aria-busy=${view.ply === ply ? null : "true"} ...${swipe}>
        <${Board} view=${view} before=${views[view.ply - 1]} seats=${seats} title=${title} />
      </div>
      <${Steps} cursor=${cursor} range=${range} over=${over} go=${go} />
      ${error && cursor !== LIVE && html`<${Failure} error=${error} retry=${refresh} />`}
      <${Info} lines=${lines} ply=${ply} seats=${seats} />
      <${Moves} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} live=${cursor === LIVE} go=${go} />
      <div class="more">
        <${Record} path=${path} over=${over} />
        <details>
          <summary>The board as text</summary>
          <pre tabindex="0" aria-label="the board as text">${view.text}</pre>
        </details>
      </div>
      <p class="unseen" aria-live="polite">${announce(state.news, summary)}</p>
    </div>
  `;
}

function Record({ path, over }) {
  if (!over) return html`<p>The record can be had when the match is over.</p>`;
  const href = (format) => `api/matches/${path}/record?format=${format}`;
  return html`<p>The record: <a href=${href("text")}>as text</a>, <a href=${href("json")}>as JSON</a></p>`;
}

/** Arrow keys step, wherever the focus is, unless it is in something that uses arrows itself. */
function useKeys(go) {
  const latest = useRef(go);
  latest.current = go; // the one listener below must not step from an older picture
  useEffect(() => {
    const onKey = (event) => {
      const step = STEPS[event.key];
      const plainKey = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
      if (!step || !plainKey || event.target.closest?.("input, select, textarea, [contenteditable]")) return;
      event.preventDefault();
      latest.current(step);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
