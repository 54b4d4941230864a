/** What components share: following a websocket, fetching JSON, the time. */

/** @import { Answer } from "../types/wire.js" */
/** @import { Status } from "./follow.js" */

import { get, isAbort } from "./api.js";
import { Follower } from "./follow.js";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { askWhy, noteAnswer, noteClosed } from "./reading.js";
import { Reload } from "./reload.js";
import { onTick } from "./ticker.js";
import { socketUrl } from "./waits.js";

/**
 * Follow the websocket at `path` with `fold`. New states are drawn once a frame at most, however fast they come. Where only
 * the query of `path` changes, the state stays until the new snapshot is there.
 *
 * @template State
 * @template {{type: string}} Message
 * @param {string} path
 * @param {(state: State|null, message: Message, now: number) => State} fold
 * @returns {{state: State|null, status: Status, why: string}}  `why` the server takes no viewer now; else ""
 */
export function useFollow(path, fold) {
  const [state, setState] = useState(/** @type {State|null} */ (null));
  const [{ status, why }, setStatus] = useState({ status: /** @type {Status} */ ("connecting"), why: "" });
  const kept = useRef(/** @type {{place: string, state: State|null}} */ ({ place: "", state: null }));
  useEffect(() => {
    /** @type {number|null} */
    let frame = null;
    const [place] = path.split("?");
    if (kept.current.place !== place) kept.current = { place, state: null };
    let newest = kept.current.state;
    const draw = () => {
      frame = null;
      setState(newest);
    };
    const onState = (/** @type {State} */ value) => {
      newest = value;
      kept.current.state = value;
      frame ??= requestAnimationFrame(draw);
    };
    const onStatus = (/** @type {Status} */ now, /** @type {string} */ words) =>
      setStatus((before) => (before.status === now && before.why === words ? before : { status: now, why: words }));
    const follower = new Follower({ url: socketUrl(path), fold, state: newest, onState, onStatus, onClosed: noteClosed, askWhy });
    const onVisibility = () => follower.visible(!document.hidden);
    document.addEventListener("visibilitychange", onVisibility);
    setState(newest);
    follower.start();
    return () => {
      follower.stop();
      document.removeEventListener("visibilitychange", onVisibility);
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [path]);
  return { state, status, why };
}

/**
 * @template {string} Path
 * @typedef {{path: Path|null, value: Answer<Path>|null, error: Error|null}} Kept
 */

const SPACING_MS = 1000; // between two requests for the same thing, however often it changes

/**
 * JSON from under /api/, fetched again when `version` changes, at once if the last request is `spacing` milliseconds ago.
 * The old value stays until the new one is there.
 *
 * @template {string} Path
 * @param {Path|null} path
 * @param {number} [version]
 * @param {number} [spacing]
 * @returns {{value: Answer<Path>|null, error: Error|null, refresh: () => void}}
 */
export function useJson(path, version = 0, spacing = SPACING_MS) {
  const [answer, setAnswer] = useState(/** @type {Kept<Path>} */ ({ path, value: null, error: null }));
  const [asked, setAsked] = useState(0);
  const reload = useRef(/** @type {Reload|null} */ (null));
  const refresh = useCallback(() => setAsked((count) => count + 1), []);
  useEffect(() => {
    if (!path) return undefined;
    const abort = new AbortController();
    const own = new Reload(async () => {
      try {
        setAnswer({ path, value: await get(path, abort.signal), error: null });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        noteAnswer(error);
        if (!isAbort(error)) setAnswer((old) => ({ ...old, path, error }));
      }
    }, spacing);
    reload.current = own;
    return () => {
      own.stop();
      abort.abort();
      reload.current = null;
    };
  }, [path]);
  useEffect(() => reload.current?.ask(), [path, version, asked]);
  return answer.path === path ? { ...answer, refresh } : { value: null, error: null, refresh };
}

/**
 * Call `action` every `ms` milliseconds while the page is shown.
 *
 * @param {number} ms
 * @param {() => void} action
 */
export function useEvery(ms, action) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || action(), ms);
    return () => clearInterval(timer);
  }, [ms, action]);
}

/**
 * The steady clock's milliseconds, renewed ten times a second while `active`.
 *
 * @param {boolean} active
 */
export function useNow(active) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => (active ? onTick(() => setNow(performance.now())) : undefined), [active]);
  return active ? Math.max(now, performance.now()) : now;
}

/**
 * Whether a media query holds, now and whenever that changes.
 *
 * @param {string} query
 */
export function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => setHolds(media.matches);
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [query]);
  return holds;
}

/**
 * Keep the current one of a row of links in sight, which a narrow page cuts: the row's reference.
 *
 * @param {string} here  which one is current
 */
export function useCurrentInSight(here) {
  const frame = useRef(/** @type {HTMLElement|null} */ (null));
  useLayoutEffect(() => {
    const row = frame.current;
    const current = row?.querySelector("[aria-current]");
    if (row && current instanceof HTMLElement) row.scrollLeft += current.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - current.clientWidth) / 2;
  }, [here]);
  return frame;
}

/**
 * Give the document a title while the component is there.
 *
 * @param {string} title
 */
export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Palio` : "Palio";
  }, [title]);
}

/**
 * A function that stays the same one for as long as the component is there, and calls the newest `call`.
 *
 * @template {unknown[]} Args
 * @param {(...args: Args) => void} call
 * @returns {(...args: Args) => void}
 */
export function useSteady(call) {
  const newest = useRef(call);
  newest.current = call;
  return useCallback((/** @type {Args} */ ...args) => newest.current(...args), []);
}
