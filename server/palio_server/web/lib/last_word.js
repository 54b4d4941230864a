/** How matches have ended that the lobby knows no more of: they ended while the connection was lost. */

/** @import { MatchMessage, Summary } from "../types/wire.js" */
/** @import { Socket } from "./follow.js" */

import { BROWSER } from "./waits.js";

const PATIENCE_MS = 5000;

/**
 * @typedef {object} World  sockets and timers
 * @property {new (url: string) => Socket} WebSocket
 * @property {(action: () => void, ms: number) => number} setTimeout
 * @property {(timer: number|undefined) => void} clearTimeout
 */

/**
 * Ask for the first message to the viewers of a match, which says all of it. Returns the way to stop asking.
 *
 * @param {string} url  of the match's socket
 * @param {(summary: Summary) => void} ended  called if it has ended
 * @param {World} [world]  for tests
 */
export function askLastWord(url, ended, world = BROWSER) {
  const socket = new world.WebSocket(url);
  const stop = () => {
    world.clearTimeout(timer);
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  };
  const timer = world.setTimeout(stop, PATIENCE_MS);
  socket.onmessage = ({ data }) => {
    const message = /** @type {MatchMessage} */ (JSON.parse(data));
    if (message.type !== "match") return;
    stop();
    if (message.summary.result) ended(message.summary);
  };
  socket.onclose = () => world.clearTimeout(timer);
  return stop;
}
