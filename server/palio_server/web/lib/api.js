/** The server's JSON interface. Every failure is an ApiError whose message is a sentence to show. */

/** @import { Answer, ErrorAnswer, Posted } from "../types/wire.js" */

const TOKEN = "palio-token"; // in sessionStorage: it is gone when the tab is closed

export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {number} status  the HTTP status; 0 if the server did not answer
   * @param {string} [code]  the server's, for programs
   */
  constructor(message, status, code = "") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Get `path` ("matches", "leaderboard/dominoes") from under /api/. Raises ApiError.
 *
 * @template {string} Path
 * @param {Path} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer<Path>>}
 */
export function get(path, signal) {
  return /** @type {Promise<Answer<Path>>} */ (call(path, { signal }));
}

/**
 * Post `body` as JSON. Raises ApiError.
 *
 * @template {string} Path
 * @param {Path} path
 * @param {object} [body]
 * @param {string} [bearer]  whose token goes along, in place of the one that is kept
 * @returns {Promise<Posted<Path>>}
 */
export function post(path, body = {}, bearer = "") {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json", ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}) };
  return /** @type {Promise<Posted<Path>>} */ (call(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

/**
 * Delete what is at `path`. Raises ApiError.
 *
 * @param {string} path
 */
export async function remove(path) {
  await call(path, { method: "DELETE" });
}

export function token() {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return ""; // a frame on another site may have no storage
  }
}

/** @param {string} text */
export function keepToken(text) {
  if (text) sessionStorage.setItem(TOKEN, text);
  else sessionStorage.removeItem(TOKEN);
}

/**
 * Ask for `path` from under /api/, with the token of this tab unless `headers` has another one. Raises ApiError.
 *
 * @param {string} path
 * @param {RequestInit & {headers?: Record<string, string>}} options
 * @returns {Promise<unknown>}
 */
export async function call(path, { headers = {}, ...options }) {
  /** @type {Record<string, string>} */
  const bearer = token() ? { Authorization: `Bearer ${token()}` } : {};
  let response;
  try {
    response = await fetch(`api/${path}`, { ...options, headers: { Accept: "application/json", ...bearer, ...headers } });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError("the server does not answer; see whether it still runs", 0);
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const body = isJson ? await response.json() : null;
  if (!response.ok) throw new ApiError(sentence(body, response), response.status);
  return body;
}

/**
 * Whether a request failed because we called it off.
 *
 * @param {unknown} error
 */
export function isAbort(error) {
  return error instanceof Error && error.name === "AbortError";
}

/**
 * The server's own sentence; what a proxy says instead has another shape.
 *
 * @param {unknown} body
 * @param {{status: number, statusText: string}} response
 */
export function sentence(body, { status, statusText }) {
  const reason = /** @type {Partial<ErrorAnswer>|null} */ (body)?.error?.reason;
  return typeof reason === "string" ? reason : `the server answered ${[status, statusText].filter(Boolean).join(" ")}`;
}
