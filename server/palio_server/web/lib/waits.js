/**
 * How long to wait until the next attempt to connect: doubling up to a limit, and never the same for all pages, which would
 * otherwise all come back to a restarted server in the same moment.
 */
export class Waits {
  /**
   * @param {number} firstMs
   * @param {number} longestMs
   * @param {() => number} random  from 0 to 1
   */
  constructor(firstMs, longestMs, random) {
    this.firstMs = firstMs;
    this.longestMs = longestMs;
    this.random = random;
    this.failures = 0;
  }

  /** Milliseconds until the next attempt, after one more failure. */
  next() {
    const longest = Math.min(this.longestMs, this.firstMs * 2 ** this.failures);
    this.failures += 1;
    return longest * (0.5 + this.random() / 2);
  }

  /** The server answers again. */
  reset() {
    this.failures = 0;
  }
}

/**
 * The address of a websocket of this server.
 *
 * @param {string} path
 */
export function socketUrl(path) {
  const url = new URL(path, document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** The browser's own sockets, timers, clock and chance: what tests put others in place of. */
export const BROWSER = {
  get WebSocket() {
    return globalThis.WebSocket;
  },
  setTimeout: (/** @type {() => void} */ action, /** @type {number} */ ms) => globalThis.setTimeout(action, ms),
  clearTimeout: (/** @type {number|undefined} */ timer) => globalThis.clearTimeout(timer),
  now: () => globalThis.performance.now(),
  random: Math.random,
};
