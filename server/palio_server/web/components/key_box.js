/** What one can do besides moving: each a key, and a button for those who have none. */

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { actOf } from "../lib/play_keys.js";

/** @typedef {{random: boolean, back: boolean, hint: boolean, quit: boolean, flip: boolean, draw: boolean}} Can */

/**
 * @typedef {object} Does
 * @property {() => void} random
 * @property {() => void} back
 * @property {(depth: number, played: boolean) => void} best
 * @property {() => void} giveUp
 * @property {() => void} flip
 * @property {() => void} draw
 */

/** @type {Record<string, string>} */
const ICONS = {
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.5.4.8 1 .8 1.6h5.4c0-.6.3-1.2.8-1.6A6 6 0 0 0 12 3z",
  back: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 6 6v4",
  random: "M4 4h16v16H4zM8.5 8.5h.01M15.5 8.5h.01M12 12h.01M8.5 15.5h.01M15.5 15.5h.01",
  flip: "M8 20V5M4.5 8.5L8 5l3.5 3.5M16 4v15M12.5 15.5L16 19l3.5-3.5",
  solve: "M8 5l9 7-9 7zM19 5v14",
  stop: "M7 7h10v10H7z",
  draw: "M5 9h14M5 15h14",
  quit: "M6 21V4M6 4h12l-3 4 3 4H6",
};

/** @typedef {{solves: boolean, start: () => void, stop: () => void}} Solution */

/**
 * @param {object} props
 * @param {Can} props.can
 * @param {boolean} props.race
 * @param {boolean} props.anytime
 * @param {number} props.depth
 * @param {boolean} props.shown  whether there is a hint already, so that the next one is the whole solution
 * @param {Solution|null} props.solution  of puzzles
 * @param {boolean} props.alone  whether no other person plays: else nobody is advised
 * @param {boolean} props.draws  whether a draw may be offered in this game
 * @param {string} props.offer  who offers one: another's name, "you", or "" for nobody
 * @param {Does} props.does
 */
export function KeyBox({ can, race, anytime, depth, shown, solution, alone, draws, offer, does }) {
  const [sure, setSure] = useState(/** @type {"quit"|"draw"|null} */ (null)); // what is asked before it is done
  const once = (/** @type {"quit"|"draw"} */ act, /** @type {() => void} */ done) => () => {
    if (sure === act) done();
    setSure(sure === act ? null : act);
  };
  const quit = once("quit", does.giveUp);
  const offered = offer && offer !== "you";
  const draw = offered ? does.draw : once("draw", does.draw);
  const hinted = () => {
    if (solution?.solves) solution.stop();
    else if (!can.hint) return;
    else if (shown && solution) solution.start();
    else does.best(depth, false);
  };
  const now = useRef({ can, does, quit, draw, hinted });
  now.current = { can, does, quit, draw, hinted };
  useEffect(() => {
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
      const act = event.defaultPrevented ? null : actOf(event);
      if (!act) return;
      const { can: may, does: doing, quit: ask, draw: offers, hinted: hints } = now.current;
      if (act.does === "best") may.hint && doing.best(act.depth, true);
      else if (act.does === "hint") hints();
      else if (act.does === "flip") may.flip && doing.flip();
      else if (act.does === "random") may.random && doing.random();
      else if (act.does === "back") may.back && doing.back();
      else if (act.does === "draw") may.draw && offers();
      else if (may.quit) ask();
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const hint = anytime ? "Good tour" : race ? "Next step" : "Hint";
  return html`
    <section class="panel key-box" aria-labelledby="keys">
      <h2 id="keys">Your keys</h2>
      ${draws && html`<div class="draw-offer" role="status">${offer && html`<p>${offered ? html`<b>${offer}</b> offers a draw. Play on to decline it.` : "You offer a draw. It stands until the other one moves."}</p>`}</div>`}
      <div class="keys">
        ${alone && html`<${Key} icon="hint" label=${hint} keys="h" off=${!can.hint} act=${() => does.best(depth, false)} />`}
        ${
          alone &&
          solution &&
          (solution.solves
            ? html`<${Key} key="solve" icon="stop" label="Stop" keys="h" off=${false} act=${solution.stop} />`
            : html`<${Key} key="solve" icon="solve" label="Show the solution" keys="h h" off=${!can.hint} act=${solution.start} />`)
        }
        ${alone && html`<${Key} icon="back" label="Take back" keys="z" off=${!can.back} act=${does.back} />`}
        <${Key} icon="random" label="Random" keys="r" off=${!can.random} act=${does.random} />
        ${can.flip && html`<${Key} icon="flip" label="Turn the board" keys="f" off=${false} act=${does.flip} />`}
        ${draws && html`<${Key} icon="draw" label=${offered ? "Accept the draw" : sure === "draw" ? "Offer it?" : "Offer a draw"} keys="d" off=${!can.draw} main=${offered} act=${draw} leave=${() => setSure(null)} />`}
        <button type="button" class="key danger" disabled=${!can.quit} onClick=${quit} onBlur=${() => setSure(null)}>
          <${Icon} name="quit" /><span>${sure === "quit" ? (anytime ? "End with this?" : "Give up for good?") : anytime ? "I am done" : "Give up"}</span><kbd>q</kbd>
        </button>
      </div>
      ${
        !race &&
        alone &&
        html`
          <div class="best">
            <p id="best">Best move at depth</p>
            <div class="nums" role="group" aria-labelledby="best">
              ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => html`<button key=${each} type="button" disabled=${!can.hint} aria-label=${`best move at depth ${each}`} onClick=${() => does.best(each, true)}>${each}</button>`)}
            </div>
          </div>
        `
      }
      <p class="note">${alone ? "Hints come from Palio's own search. A match with hints or take-backs is never rated." : "Between people there are no hints and no take-backs."}</p>
    </section>
  `;
}

/** @param {{icon: string, label: string, keys: string, off: boolean, main?: boolean, act: () => void, leave?: () => void}} props */
function Key({ icon, label, keys, off, main = false, act, leave }) {
  return html`<button type="button" class=${main ? "key primary" : "key"} disabled=${off} aria-keyshortcuts=${keys[0]} onClick=${act} onBlur=${leave}><${Icon} name=${icon} /><span>${label}</span><kbd>${keys}</kbd></button>`;
}

/** @param {{name: string}} props */
function Icon({ name }) {
  return html`<svg class="key-icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;
}
