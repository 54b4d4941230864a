/** Recent form: the last results, newest last, as columns that read without colour too: up, level, down. */

import { html } from "../lib/html.js";
import { plural } from "../lib/words.js";

const WIDTH = 8;
/** @type {Record<string, [number, number]>} */
const RECTS = { W: [1, 8], D: [7, 4], L: [9, 8] }; // top edge and height, of 18

/** @param {{form: string}} props */
export function Form({ form }) {
  if (!form) return html`<span class="quiet">–</span>`;
  const counts = [
    ["W", "win"],
    ["D", "draw"],
    ["L", "loss"],
  ].map(([letter, word]) => plural([...form].filter((other) => other === letter).length, word, word === "loss" ? "losses" : `${word}s`));
  return html`
    <svg class="form" viewBox=${`0 0 ${10 * WIDTH} 18`} role="img" aria-label=${`${form}: ${counts.join(", ")}`}>
      ${[...form].slice(-10).map((letter, index) => {
        const [y, height] = RECTS[letter] ?? RECTS.D;
        return html`<rect key=${index} class=${`form-${letter}`} x=${index * WIDTH + 1} y=${y} width=${WIDTH - 2} height=${height} rx="1.5" />`;
      })}
    </svg>
  `;
}
