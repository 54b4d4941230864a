/**
 * After an upgrade of the server, a page that was open asks for files that are not there any more. Then it is loaded
 * again, once: if that does not help, something else is wrong.
 */

const LOADED_AGAIN = "palio-loaded-again"; // in sessionStorage: when
const CALM_MS = 60_000; // a second failure within that time is no upgrade

/**
 * Whether to load the page again now; remembers that it was.
 *
 * @param {{getItem: (key: string) => string|null, setItem: (key: string, value: string) => void}} store
 * @param {number} now
 */
export function shouldLoadAgain(store, now) {
  try {
    if (now - Number(store.getItem(LOADED_AGAIN) ?? -Infinity) < CALM_MS) return false;
    store.setItem(LOADED_AGAIN, String(now));
    return true;
  } catch {
    return false; // no storage here (a frame on another site): a loop could not be told from an upgrade
  }
}

/** Load the page again, if the server is there and that has not just been done. */
export async function loadAgain() {
  try {
    const answer = await fetch(location.href, { method: "HEAD" });
    if (answer.status < 500 && shouldLoadAgain(sessionStorage, Date.now())) location.reload();
  } catch {
    // the server is away, or there is no storage: the page says what it cannot load
  }
}
