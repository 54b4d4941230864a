/** The time that the bots of an event have, from its settings: they keep it as text, or as a time control. */

/** @import { TimeControl } from "../types/wire.js" */

import { timeControl } from "./clock.js";

const A_MOVE = /^([\d.]+)\/move$/;

/** @param {Record<string, unknown>} settings */
export function timeOf({ time, tc, st, times }) {
  const odds = Object.entries(/** @type {Record<string, TimeControl>} */ (times ?? {})).map(([bot, own]) => `${bot} ${timeControl(own)}`);
  return [usual({ time, tc, st }), ...odds].join(", ");
}

/** @param {Record<string, unknown>} settings */
function usual({ time, tc, st }) {
  if (typeof time === "string") return time === "inf" ? "no limit" : time.replace(A_MOVE, "$1 s a move");
  if (typeof time === "object" && time !== null) return timeControl(/** @type {TimeControl} */ (time));
  return [tc, st && `${st} s a move`].filter(Boolean).join(", ");
}
