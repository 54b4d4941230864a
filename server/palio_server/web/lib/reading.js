/**
 * Reading a private server: whoever is refused signs in, with the token that this tab keeps or by the form.
 *
 * A browser cannot send a token with a websocket or a download; so it gives the token once, and gets a cookie that the
 * page's scripts cannot read.
 */

/** @import { Refusal } from "./follow.js" */

import { ApiError, get, keepToken, post, token } from "./api.js";

const AGAIN = "palio-signed-in"; // in sessionStorage: when this tab has signed in by itself
const AGAIN_MS = 60_000; // a browser that keeps no cookies must not load the page again and again

/** A socket was closed with this code because one may not be here; the reason is the server's code. */
const POLICY = 1008;
const CODES = new Set(["token-missing", "token-revoked", "token-expired", "bad-token"]);

/** @type {() => void} */
let denied = () => {};

/**
 * Have `listener` called whenever the server wants to know who reads.
 *
 * @param {() => void} listener
 */
export function whenDenied(listener) {
  denied = listener;
}

/**
 * Note how a request was answered.
 *
 * @param {unknown} error
 */
export function noteAnswer(error) {
  if (error instanceof Error && "status" in error && error.status === 401) denied();
}

/**
 * Note how a socket was closed.
 *
 * @param {number} code
 * @param {string} reason
 */
export function noteClosed(code, reason) {
  if (code === POLICY && CODES.has(reason)) denied();
}

/**
 * Why the server opens no socket for a viewer now; null if it would, or does not answer. A browser tells a page only that
 * a socket was not opened, so that the page asks over HTTP.
 *
 * @returns {Promise<Refusal|null>}
 */
export function askWhy() {
  return ask("live");
}

/**
 * Why it opens no socket for a person who plays.
 *
 * @returns {Promise<Refusal|null>}
 */
export function askWhyPlayer() {
  return ask("live?player=true");
}

/**
 * @param {"live"|"live?player=true"} path
 * @returns {Promise<Refusal|null>}
 */
async function ask(path) {
  try {
    const { open, reason, retry_s: seconds } = await get(path);
    return open ? null : { reason, retryMs: 1000 * seconds };
  } catch (error) {
    noteAnswer(error);
    return error instanceof ApiError && error.status ? { reason: error.message, retryMs: 0 } : null;
  }
}

/**
 * Sign in with a token, which this tab keeps from now on. Raises ApiError.
 *
 * @param {string} text
 */
export async function signIn(text) {
  await post("session", {}, text);
  keepToken(text);
}

/**
 * Sign in with the token that this tab keeps, if there is one; whether that was possible.
 *
 * @param {number} [now]
 */
export async function signInAgain(now = Date.now()) {
  const kept = token();
  if (!kept || now - Number(sessionStorage.getItem(AGAIN) ?? 0) < AGAIN_MS) return false;
  sessionStorage.setItem(AGAIN, String(now));
  try {
    await signIn(kept);
    return true;
  } catch {
    return false;
  }
}
