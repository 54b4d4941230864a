/** Moves to be picked by name, for games that say nothing of touches: a list, shortened by what one types. */

/** @import { HandMove } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { html, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";
import { Field } from "./fields.js";

const MOST = 60; // buttons at once; what is beyond is found by typing
const FEW = 12; // so many need no search

/** @param {{moves: HandMove[], onMove: (move: unknown, notation: string) => void}} props */
export function MoveList({ moves, onMove }) {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const found = moves.filter(({ notation }) => notation.toLowerCase().includes(wanted));
  return html`
    <section class="move-list" aria-label="moves">
      ${
        moves.length > FEW &&
        html`
          <${Field} label="Move" hint=${`${plural(found.length, "move")}${found.length > MOST ? `, the first ${MOST} are shown` : ""}`}>
            <input autocomplete="off" spellcheck=${false} value=${typed} onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setTyped(event.currentTarget.value)} />
          </${Field}>
        `
      }
      <ul>
        ${found.slice(0, MOST).map(({ move, notation, effect }) => html`<li key=${notation}><button type="button" onClick=${() => onMove(move, notation)}>${notation}${effect}</button></li>`)}
      </ul>
    </section>
  `;
}
