/** Back and forth: buttons, a slider, a swipe over the board; the arrow keys do the same. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { Cursor, Range, Step } from "../lib/replay.js" */

import { html, useRef } from "../lib/html.js";
import { LIVE } from "../lib/replay.js";

const SWIPE_PX = 40;

const GLYPHS = {
  first: "M7 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  on: "M8 5l9 7-9 7z",
};

/** @param {{cursor: Cursor, range: Range, over: boolean, go: (step: Step) => void}} props */
export function Steps({ cursor, range, over, go }) {
  const at = cursor ?? range.last;
  /** @type {(step: keyof typeof GLYPHS, label: string, key: string, disabled: boolean) => unknown} */
  const button = (step, label, key, disabled) => html`
    <button type="button" class="step" onClick=${() => go(step)} disabled=${disabled} aria-label=${label} title=${`${label} (${key})`}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${GLYPHS[step]} /></svg>
    </button>
  `;
  const onInput = (/** @type {EventOn<HTMLInputElement>} */ event) => go(Number(event.currentTarget.value));
  return html`
    <div class="steps" role="group" aria-label="step through the match">
      ${button("first", "first position", "Home", at <= range.first)}
      ${button("back", "one ply back", "left arrow", at <= range.first)}
      <input
        type="range"
        aria-label="ply"
        aria-valuetext=${`ply ${at} of ${range.last}`}
        min=${range.first}
        max=${range.last}
        value=${at}
        disabled=${range.last === range.first}
        onInput=${onInput}
      />
      ${button("on", "one ply on", "right arrow", cursor === LIVE)}
      <button type="button" class="live" aria-pressed=${String(cursor === LIVE)} onClick=${() => go("live")} title="End">
        ${over ? "End" : "Live"}
      </button>
      <output class="at">ply ${at}<span> of ${range.last}</span></output>
    </div>
  `;
}

/**
 * Handlers that turn a sideways swipe into a step.
 *
 * @param {(step: Step) => void} go
 */
export function useSwipe(go) {
  const start = useRef({ x: 0, y: 0 });
  return {
    onTouchStart: (/** @type {TouchEvent} */ { changedTouches: [{ clientX, clientY }] }) => {
      start.current = { x: clientX, y: clientY };
    },
    onTouchEnd: (/** @type {TouchEvent} */ { changedTouches: [{ clientX, clientY }] }) => {
      const [dx, dy] = [clientX - start.current.x, clientY - start.current.y];
      if (Math.abs(dx) > SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy)) go(dx > 0 ? "back" : "on");
    },
  };
}
