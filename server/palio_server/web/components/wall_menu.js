/** What can be done with the hall's screen, by key or by mouse. It is seen only while the pointer moves. */

/** @import { Asked } from "../lib/wall_address.js" */

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { to } from "../lib/router.js";

const REST_MS = 3000;

/**
 * @param {object} props
 * @param {Asked} props.asked
 * @param {number} props.boards  small ones, as shown
 * @param {number} props.fitting
 * @param {string} props.hero
 * @param {(change: Partial<Asked>) => void} props.show
 * @param {() => void} props.next
 * @param {(match: string) => void} props.pin
 */
export function WallMenu({ asked, boards, fitting, hero, show, next, pin }) {
  const awake = useAwake();
  const pinned = asked.pins.includes(hero);
  /** @type {Record<string, () => void>} */
  const acts = {
    n: next,
    p: () => hero && pin(hero),
    "+": () => show({ boards: Math.min(fitting, boards + 1) }),
    "-": () => show({ boards: Math.max(0, boards - 1) }),
    f: () => fullScreen(),
  };
  useKeys(acts);
  const button = (/** @type {string} */ key, /** @type {string} */ text, off = false) => html`
    <button type="button" disabled=${off} onClick=${acts[key]} aria-keyshortcuts=${key}>${text} <kbd aria-hidden="true">${key}</kbd></button>
  `;
  return html`
    <nav class="tv-menu" aria-label="Hall screen" data-awake=${awake ? "" : null}>
      <a href=${to("lobby")}>Leave</a>
      ${button("n", "Next match", !hero)} ${button("p", pinned ? "Let go" : "Pin", !hero)}
      ${button("-", "Fewer boards", boards === 0)} ${button("+", "More boards", boards >= fitting)}
      ${button("f", "Full screen")}
    </nav>
  `;
}

/** Whether the pointer has moved a moment ago; a screen on a wall has none. */
function useAwake() {
  const [awake, setAwake] = useState(false);
  useEffect(() => {
    /** @type {number|undefined} */
    let timer;
    const turn = (/** @type {boolean} */ on) => {
      setAwake(on);
      document.documentElement.toggleAttribute("data-awake", on); // without it there is no pointer to see
    };
    const wake = () => {
      turn(true);
      clearTimeout(timer);
      timer = setTimeout(() => turn(false), REST_MS);
    };
    addEventListener("pointermove", wake);
    return () => {
      turn(false);
      clearTimeout(timer);
      removeEventListener("pointermove", wake);
    };
  }, []);
  return awake;
}

/** @param {Record<string, () => void>} acts  by key */
function useKeys(acts) {
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
      const act = newest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function fullScreen() {
  const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  done.catch(() => {}); // the browser may refuse; then it stays as it is
}
