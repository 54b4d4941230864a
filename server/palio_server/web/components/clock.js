/** One seat's clock. It ticks on its own between two updates, so that nothing else is drawn for it. */

/** @import { TimeControl } from "../types/wire.js" */
/** @import { ClockState } from "../lib/clock.js" */

import { clock, remaining, shown, thinking } from "../lib/clock.js";
import { useNow } from "../lib/hooks.js";
import { html } from "../lib/html.js";

/**
 * @param {object} props
 * @param {ClockState} props.state
 * @param {number} props.seat
 * @param {number|null} props.toMove
 * @param {TimeControl} props.time
 * @param {string} props.label
 */
export function Clock({ state, seat, toMove, time, label }) {
  const runs = state.running && seat === toMove;
  const now = useNow(runs);
  const { text, low } = read(state, seat, toMove, time, now);
  if (text === null) return null; // nobody counts
  return html`
    <span class="clock" role="timer" aria-label=${label} data-runs=${runs ? "" : null} data-low=${low ? "" : null}>
      ${text}
    </span>
  `;
}

/**
 * @param {ClockState} state
 * @param {number} seat
 * @param {number|null} toMove
 * @param {TimeControl} time
 * @param {number} now
 */
function read(state, seat, toMove, time, now) {
  const left = remaining(state, seat, toMove, now);
  if (left !== null) {
    const { ms, count, period } = shown(left, time, state.movesToGo?.[seat]);
    return { text: `${clock(ms)}${count && ` ${count}`}`, low: left < Math.min(10_000, (period || (time.base_ms ?? 0)) / 5) };
  }
  const limit = time.move_ms ?? null;
  const spent = thinking(state, seat, toMove, now);
  if (limit === null) return { text: null, low: false };
  return { text: clock(Math.max(0, limit - spent)), low: false };
}
