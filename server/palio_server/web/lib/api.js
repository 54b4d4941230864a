/** The server's JSON interface. Every failure is an ApiError whose message is a sentence to show. */

const TOKEN = "palio-token"; // in sessionStorage: it is gone when the tab is closed

export class ApiError extends Error {
  /** @param {number} status  the HTTP status; 0 if the server did not answer */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Get `path` ("matches", "leaderboard/dominoes") from under /api/. Raises ApiError. */
export function get(path, signal) {
  return call(path, { signal });
}

/** Post `body` as JSON. Raises ApiError. */
export function post(path, body) {
  return call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

export function token() {
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function keepToken(text) {
  if (text) sessionStorage.setItem(TOKEN, text);
  else sessionStorage.removeItem(TOKEN);
}

async function call(path, { headers = {}, ...options }) {
  const bearer = token() ? { Authorization: `Bearer ${token()}` } : {};
  let response;
  try {
    response = await fetch(`api/${path}`, { ...options, headers: { Accept: "application/json", ...headers, ...bearer } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the server does not answer; see whether it still runs", 0);
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const body = isJson ? await response.json() : null;
  if (!response.ok) throw new ApiError(sentence(body, response), response.status);
  return body;
}

/** The server's own sentence, whichever of its shapes the error has. */
export function sentence(body, { status, statusText }) {
  const detail = body?.reason ?? body?.error?.reason ?? body?.error ?? body?.detail;
  if (typeof detail === "string") return detail;
  if (typeof detail?.reason === "string") return detail.reason;
  if (Array.isArray(detail)) return detail.map(({ loc = [], msg }) => [...loc.slice(1), msg].join(" ")).join("; ");
  return `the server answered ${[status, statusText].filter(Boolean).join(" ")}`;
}
