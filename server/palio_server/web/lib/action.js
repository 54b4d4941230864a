/** Doing something on the server from a button: busy while it lasts, the server's sentence where it refuses. */

import { ApiError, token } from "./api.js";
import { useState } from "./html.js";

/**
 * `run` does one thing at a time, calls `done` after it, and tells whether it was done. `guarded`: the server wants a token.
 *
 * @param {() => void} done
 */
export function useAction(done) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const [guarded, setGuarded] = useState(token() !== "");
  const run = async (/** @type {() => Promise<unknown>} */ action) => {
    setBusy(true);
    setError("");
    try {
      await action();
      done();
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (failure.status === 401 || failure.status === 403) setGuarded(true);
      setError(failure.message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, error, guarded };
}
