/**
 * After an upgrade of the server, a page that was open is of another version than what the server has now. Then it is
 * loaded again, once: if that does not help, something else is wrong.
 */

const LOADED_AGAIN = "palio-loaded-again"; // in sessionStorage: when
const CALM_MS = 60_000; // a second time within that is no upgrade

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

/**
 * The names of the scripts and styles in a page; they have a digest of all that the page is made of.
 *
 * @param {string} page  its HTML
 */
export function fileNames(page) {
  return [...page.matchAll(/<(?:script|link rel="stylesheet")\s(?:[^>]*\s)?(?:src|href)="([^"]*)"/g)].map(([, name]) => name);
}

/**
 * Whether the server's page has files that this one has not. Others here may be a browser's own.
 *
 * @param {string} served
 * @param {string} own
 */
export function isNewer(served, own) {
  const known = new Set(fileNames(own));
  return fileNames(served).some((name) => !known.has(name));
}

/** Load the page again if the server is there and has another one, and that has not just been done. */
export async function loadIfNewer() {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.status >= 500 || !isNewer(await answer.text(), document.head.outerHTML)) return;
    if (shouldLoadAgain(sessionStorage, Date.now())) location.reload();
  } catch {
    // the server is away, or there is no storage: the page says what it cannot load
  }
}
