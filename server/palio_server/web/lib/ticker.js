/** One timer for every clock on the page; it runs only while somebody listens and the page is shown. */

const TICK_MS = 100;
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {number|undefined} */
let timer;

/**
 * Call `listener` about ten times a second. Returns the way to stop it.
 *
 * @param {() => void} listener
 */
export function onTick(listener) {
  listeners.add(listener);
  timer ??= setInterval(() => document.hidden || listeners.forEach((call) => call()), TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size) return;
    clearInterval(timer);
    timer = undefined;
  };
}
