/**
 * Reading a private server: whoever is refused signs in, with the token that this tab keeps or by the form.
 *
 * A browser cannot send a token with a websocket or a download; so it gives the token once, and gets a cookie that the
 * page's scripts cannot read.
 */

import { keepToken, post, token } from "./api.js";

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
