/** Back and forth, playing, and what can be done with the board: buttons and a slider; keys and a swipe do the same. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { Step } from "../lib/replay.js" */
/** @import { Stepping } from "../lib/stepping.js" */

import { across, at as placed } from "../lib/chances.js";
import { html, useRef } from "../lib/html.js";
import { SPEEDS } from "../lib/player.js";
import { go as goTo } from "../lib/navigation.js";
import { LIVE } from "../lib/replay.js";
import { useSound } from "../lib/sound.js";
import { useKeys } from "../lib/stepping.js";
import { SAID, useCopy } from "./copy_button.js";

const SWIPE_PX = 40;

const GLYPHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  on: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M8 5v14M16 5v14",
  loop: "M4 12a6 6 0 0 1 6-6h8M15 3l3 3-3 3M20 12a6 6 0 0 1-6 6H6M9 21l-3-3 3-3",
  flip: "M8 20V5M4.5 8.5L8 5l3.5 3.5M16 4v15M12.5 15.5L16 19l3.5-3.5",
  sound: "M4 10v4h3l5 4V6L7 10zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  silence: "M4 10v4h3l5 4V6L7 10zM16 9.5l5 5M21 9.5l-5 5",
  try: "M4 6h9M4 12h7M4 18h9M16 9l4 4-4 4M11 13h9",
  link: "M9 15l6-6M8 11l-2 2a3.5 3.5 0 0 0 5 5l2-2M16 13l2-2a3.5 3.5 0 0 0-5-5l-2 2",
};

/**
 * @param {object} props
 * @param {Stepping} props.stepping
 * @param {boolean} props.over
 * @param {string} props.link  the page's address at the ply that is shown
 * @param {string | null} props.trial  the address at which moves are tried from that ply; null: the moves are archived
 * @param {{flipped: boolean, flip: () => void}} [props.turning]  where the board can be turned
 * @param {{ply: number, kind: string}[]} [props.marks]  plies to point at on the slider
 */
export function Steps({ stepping, over, link, trial, turning, marks = [] }) {
  const { cursor, ply: at, range, go, player, playing } = stepping;
  const [sounds, toggleSound] = useSound(at);
  const [copyLink, said] = useCopy(() => link);
  useKeys(stepping, { copy: copyLink, ...(trial !== null && { try: () => goTo(trial) }), ...(turning && { flip: turning.flip }) });
  const follows = cursor === LIVE && !over;
  const onInput = (/** @type {EventOn<HTMLInputElement>} */ event) => go(Number(event.currentTarget.value));
  return html`
    <div class="steps" role="group" aria-label="step through the match">
      <div class="steps-way">
        <${StepButton} glyph="first" label="first position" keys="Home" act=${() => go("first")} disabled=${at <= range.first} />
        <${StepButton} glyph="back" label="one ply back" keys="left arrow" act=${() => go("back")} disabled=${at <= range.first} />
        <${StepButton} glyph=${playing.playing ? "pause" : "play"} label=${playing.playing ? "pause" : "play"} keys="space" act=${() => player.toggle()} disabled=${range.last === 0 || follows} primary />
        <${StepButton} glyph="on" label="one ply on" keys="right arrow" act=${() => go("on")} disabled=${cursor === LIVE} />
        ${
          over
            ? html`<${StepButton} glyph="last" label="End" keys="End" act=${() => go("live")} disabled=${cursor === LIVE} />`
            : html`<button type="button" class="live" aria-pressed=${String(follows)} onClick=${() => go("live")} title="the newest position (End)">Live</button>`
        }
      </div>
      <output class="at">ply <b>${at}</b><span> of ${range.last}</span></output>
      <div class="steps-more">
        <${StepButton} glyph="loop" label="repeat" pressed=${playing.loop} act=${() => player.loop()} />
        ${turning && html`<${StepButton} glyph="flip" label="turn the board" keys="f" pressed=${turning.flipped} act=${turning.flip} />`}
        <${StepButton} glyph=${sounds ? "sound" : "silence"} label="sound of moves" pressed=${sounds} act=${toggleSound} />
        <button type="button" class="step-link" onClick=${copyLink} title="copy a link to this ply (c)">
          <${Glyph} name="link" /><span>${SAID[said] || "Link at this ply"}</span>
        </button>
        ${trial !== null && html`<button type="button" class="step-link" onClick=${() => goTo(trial)} title="try moves from this position, with the best ones (t)"><${Glyph} name="try" /><span>Try from here</span></button>`}
        <span class="unseen" role="status">${SAID[said]}</span>
      </div>
      <div class="speeds" role="group" aria-label="speed">
        ${SPEEDS.map(
          (speed) => html`<button key=${speed} type="button" aria-pressed=${String(playing.speed === speed)} onClick=${() => player.at(speed)} title=${`${speed === "played" ? "as long as each move took" : `${speed} a second`} (+ and -)`}>
            ${speed === "played" ? "as played" : `${speed}×`}
          </button>`,
        )}
      </div>
      <div class="steps-track">
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
        <div class="steps-marks" aria-hidden="true">
          ${marks.map(({ ply, kind }, index) => html`<i key=${index} class="chances-mark" data-mark=${kind} ...${placed({ left: across(ply, range.last) })}></i>`)}
        </div>
      </div>
    </div>
  `;
}

/** @param {{glyph: keyof typeof GLYPHS, label: string, keys?: string, act: () => void, disabled?: boolean, pressed?: boolean, primary?: boolean}} props */
function StepButton({ glyph, label, keys, act, disabled = false, pressed, primary = false }) {
  return html`
    <button type="button" class=${primary ? "step primary" : "step"} onClick=${act} disabled=${disabled} aria-label=${label} aria-pressed=${pressed === undefined ? null : String(pressed)} title=${keys ? `${label} (${keys})` : label}>
      <${Glyph} name=${glyph} />
    </button>
  `;
}

const SOLID = new Set(["first", "back", "on", "last", "play"]);

/** @param {{name: keyof typeof GLYPHS}} props */
function Glyph({ name }) {
  return html`<svg class=${SOLID.has(name) ? "solid" : ""} viewBox="0 0 24 24" aria-hidden="true"><path d=${GLYPHS[name]} /></svg>`;
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
