/** The games that can be played here: each with a picture, its rules in a line, and where to go on. */

/** @import { GameItem, SeatOf, View } from "../types/wire.js" */

import { useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { asking, to } from "../lib/router.js";
import { Board } from "./board.js";
import { Legend } from "./legend.js";
import { Token } from "./seat.js";

const KINDS = { race: "a race", duel: "for two", table: "for three or more" };

/** @param {{games: GameItem[]}} props */
export function Games({ games }) {
  useTitle("Games");
  return html`
    <h1>Games</h1>
    <ul class="games">${games.map((game) => html`<li key=${game.name}><${Entry} game=${game} /></li>`)}</ul>
    <h2>What the marks on a board mean</h2>
    <${Legend} />
  `;
}

/** @param {{game: GameItem}} props */
function Entry({ game: { name, title, kind, seats, line } }) {
  const { value } = useJson(`games/${encodeURIComponent(name)}/rules`);
  const players = seatsOf(seats);
  const race = kind === "race";
  return html`
    <article class="game-card">
      <div class="game-board" aria-hidden="true">${value && html`<${Board} view=${viewOf(value.later, value.text)} seats=${players} title=${title} entrant=${race ? 0 : null} small />`}</div>
      <div>
        <h2><a href=${to("games", name)}>${title}</a></h2>
        <p>${line}</p>
        <p class="quiet game-seats">
          ${race ? KINDS.race : seats.length === 3 ? "for three" : KINDS[kind]}
          ${!race && seats.map((seat, index) => html`<span key=${seat} class="game-seat"><${Token} seats=${players} seat=${index} scene=${value?.later} />${seat}</span>`)}
        </p>
        <p class="game-links">
          <a href=${to("games", name)}>Rules</a> <a href=${to("play", name)}>Play</a> <a href=${asking(to("results"), { game: name })}>Results</a>
        </p>
      </div>
    </article>
  `;
}

/**
 * Seats by their names alone, as where nobody sits yet.
 *
 * @param {string[]} seats
 * @returns {SeatOf[]}
 */
export function seatsOf(seats) {
  return seats.map((name) => ({ name, bot: name }));
}

/**
 * A position as a board draws it.
 *
 * @param {View["scene"]} scene
 * @param {string} text
 * @returns {View}
 */
export function viewOf(scene, text) {
  return { ply: 0, to_move: null, clocks_ms: [], text, scene, seat: null, race: null };
}
