/** JSON of a course: asked for again when its view comes back into sight, and after a while if that is wanted. */

/** @import { Answer } from "../types/wire.js" */
/** @import { CourseApi } from "./course_api.js" */

import { ApiError, isAbort } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./html.js";
import { Reload } from "./reload.js";

const SPACING_MS = 300; // between two requests for the same thing, however often somebody clicks
const CALM_MS = 2000; // between two that the focus brings

/**
 * @template {string} Path
 * @typedef {{api: CourseApi, path: Path|null, value: Answer<`courses/${string}${Path}`>|null, error: Error|null}} Kept
 */

/**
 * What is at `path` below the course's. The old value stays until the new one is there. `again`: milliseconds until it
 * is asked for once more, 2000 or more; null where only the focus asks. `onFocus` false: it is dear, and asked for once.
 *
 * @template {string} Path
 * @param {CourseApi} api
 * @param {Path|null} path
 * @param {(value: Answer<`courses/${string}${Path}`>) => number|null} [again]
 * @param {{onFocus?: boolean}} [how]
 * @returns {{value: Answer<`courses/${string}${Path}`>|null, error: Error|null, refresh: () => void}}
 */
export function useCourseJson(api, path, again = () => null, { onFocus = true } = {}) {
  const [answer, setAnswer] = useState(/** @type {Kept<Path>} */ ({ api, path, value: null, error: null }));
  const reload = useRef(/** @type {Reload|null} */ (null));
  const refresh = useCallback(() => reload.current?.ask(), []);
  const wait = useRef(again);
  wait.current = again;
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    const own = new Reload(async () => {
      try {
        setAnswer({ api, path, value: await api.get(path, abort.signal), error: null });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (!isAbort(error)) setAnswer((old) => (old.api === api && old.path === path ? { ...old, error } : { api, path, value: null, error }));
      }
    }, SPACING_MS);
    reload.current = own;
    own.ask();
    return () => {
      own.stop();
      abort.abort();
      reload.current = null;
    };
  }, [api, path]);
  useEffect(() => {
    const ms = answer.value === null ? null : wait.current(answer.value);
    if (ms === null) return undefined;
    const timer = setTimeout(() => document.hidden || refresh(), ms); // a hidden page asks when it is seen again
    return () => clearTimeout(timer);
  }, [answer]);
  useOnFocus(onFocus ? refresh : nothing);
  const mine = answer.api === api && answer.path === path;
  return mine ? { value: answer.value, error: answer.error, refresh } : { value: null, error: null, refresh };
}

function nothing() {}

/** @param {() => void} action */
function useOnFocus(action) {
  useEffect(() => {
    let last = performance.now();
    const look = () => {
      if (document.hidden || performance.now() - last < CALM_MS) return;
      last = performance.now();
      action();
    };
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [action]);
}

/**
 * Do one thing at a time on the server: busy while it lasts, the server's sentence where it refuses.
 *
 * @returns {{run: (action: () => Promise<unknown>) => Promise<boolean>, busy: boolean, error: string, clear: () => void}}
 */
export function useCourseAction() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const run = async (/** @type {() => Promise<unknown>} */ action) => {
    setBusy(true);
    setError("");
    try {
      await action();
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure.message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError("") };
}
