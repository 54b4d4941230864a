/** Stepping through a match that is being followed: where one looks, and which positions are known. */

/** @import { View } from "../types/wire.js" */
/** @import { Cursor, Range, Step } from "./replay.js" */

import { useJson } from "./hooks.js";
import { useLayoutEffect, useMemo, useRef, useState } from "./html.js";
import { byPly, complete, LIVE, move, STEPS } from "./replay.js";

/**
 * @typedef {object} Stepping
 * @property {Cursor} cursor
 * @property {boolean} live  whether the newest position is shown
 * @property {number} ply  that is shown
 * @property {Range} range
 * @property {Record<number, View>} views  the positions that are known, by ply
 * @property {(step: Step) => void} go
 * @property {Error|null} error  why the past of the match cannot be had; `refresh` asks again
 * @property {() => void} refresh
 */

/**
 * @param {import("./fold.js").MatchState} state
 * @param {string} path  the match's identity, for an address
 * @returns {Stepping}
 */
export function useStepping(state, path) {
  const [cursor, setCursor] = useState(/** @type {Cursor} */ (LIVE));
  const [asked, setAsked] = useState(false); // a live match's past is asked for when somebody wants to see it
  const over = Boolean(state.summary.result);
  const { value: replay, error, refresh } = useJson(asked || over ? `matches/${path}/replay` : null);
  const past = useMemo(() => (replay ? byPly(replay.views) : {}), [replay]);
  const views = useMemo(() => ({ ...past, ...state.views }), [past, state.views]);
  const range = { first: 0, last: state.summary.view.ply };
  const go = (/** @type {Step} */ step) => {
    if (step !== "live" && !complete(views, range.first, range.last)) {
      setAsked(true);
      refresh();
    }
    setCursor((now) => move(now, step, range)); // not from `cursor`: keys may come faster than pictures
  };
  useKeys(go);
  return { cursor, live: cursor === LIVE, ply: cursor ?? range.last, range, views, go, error, refresh };
}

/**
 * Arrow keys step, wherever the focus is, unless it is in something that uses arrows itself.
 *
 * @param {(step: Step) => void} go
 */
function useKeys(go) {
  const latest = useRef(go);
  latest.current = go; // the one listener below must not step from an older picture
  useLayoutEffect(() => { // before the picture is there: whoever sees it can step at once
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const step = STEPS[event.key];
      const plainKey = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
      if (!step || !plainKey || (event.target instanceof Element && event.target.closest("input, select, textarea, [contenteditable]"))) return;
      event.preventDefault();
      latest.current(step);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
