/** A board to try the rules on: both sides by one hand, one move back, and from the beginning. */

/** @import { GameItem, GameRules, PositionItem } from "../types/wire.js" */

import { post } from "../lib/api.js";
import { html, useState } from "../lib/html.js";
import { Board } from "./board.js";
import { Failure } from "./empty.js";
import { seatsOf, viewOf } from "./games.js";
import { HandBoard } from "./hand_board.js";

const SEED = 1; // of the instance that is shown before

/** @param {{rules: GameRules, game: GameItem}} props */
export function TryBoard({ rules, game: { name, title, kind, seats } }) {
  const [positions, setPositions] = useState(/** @type {PositionItem[]} */ ([])); // from the first one on
  const [error, setError] = useState(/** @type {Error|null} */ (null));
  const players = seatsOf(seats);
  const position = positions.at(-1);
  const path = `games/${encodeURIComponent(name)}/position`;
  const ask = async (/** @type {object} */ body) => {
    try {
      const found = /** @type {PositionItem} */ (await post(path, body));
      setPositions((before) => ("state" in body ? [...before, found] : [found]));
      setError(null);
    } catch (problem) {
      if (!(problem instanceof Error)) throw problem;
      setError(problem);
    }
  };
  const begin = () => ask({ seed: SEED });
  const entrant = kind === "race" ? 0 : null;
  if (!position) {
    return html`
      <div class="try-board" data-text=${rules.first ? null : ""}><${Board} view=${viewOf(rules.first, rules.text)} seats=${players} title=${title} entrant=${entrant} /></div>
      ${error && html`<${Failure} error=${error} />`}
      <p class="try-keys"><button type="button" onClick=${begin}>Try the moves</button></p>
    `;
  }
  return html`
    <${HandBoard}
      game=${name}
      title=${title}
      seats=${players}
      position=${position}
      mine=${!position.over}
      entrant=${entrant}
      turn=${said(position, seats)}
      onMove=${(/** @type {unknown} */ move) => ask({ state: position.state, play: move })}
    />
    ${error && html`<${Failure} error=${error} />`}
    <p class="try-keys">
      ${position.forced !== null && !position.over && html`<button type="button" onClick=${() => ask({ state: position.state, play: position.forced })}>Pass</button>`}
      <button type="button" disabled=${positions.length < 2} onClick=${() => setPositions(positions.slice(0, -1))}>One move back</button>
      <button type="button" disabled=${positions.length < 2} onClick=${begin}>From the beginning</button>
    </p>
  `;
}

/** @param {string} words */
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/**
 * @param {PositionItem} position
 * @param {string[]} seats
 */
function said({ over, to_move: turn, count }, seats) {
  if (over) return `It is over: ${over.reason.replaceAll("-", " ")}.`;
  const who = seats.length > 1 && turn !== null ? `${seats[turn]} to move.` : "";
  return [who, count && `${count}.`].map(sentence).filter(Boolean).join(" ");
}
