/** What a hand sees over the board: the piece that is picked, where it can go, what was refused, a hint. */

/** @import { Scene, SeatOf } from "../types/wire.js" */
/** @import { Cell } from "../lib/hand.js" */
/** @import { Mark } from "../lib/scene.js" */

import { cellKey } from "../lib/hand.js";
import { standing } from "../lib/hand_cells.js";
import { html } from "../lib/html.js";
import { CELL, centre, frame, hexagon } from "../lib/scene.js";
import { Shape } from "./marks.js";
import { seatClass } from "./seat.js";

/** @typedef {Map<string, {cell: Cell, lands: boolean}>} Targets */
/** @typedef {{name: string, mark: Mark|null}} Chosen */

/**
 * @param {object} props
 * @param {Scene} props.scene
 * @param {SeatOf[]} props.seats
 * @param {Cell|null} props.aimed  a small point that a finger has touched once
 * @param {Cell[]} props.held
 * @param {Cell[]} props.touched
 * @param {Targets} props.targets
 * @param {Map<string, Chosen>} props.choices  what a target chooses, where that is not its place
 * @param {Cell|null} props.cross
 * @param {Cell[][]|null} props.hint
 * @param {Cell[]} props.thought  the touches of a move that is thought ahead
 * @param {boolean} props.flipped
 */
export function HandMarks({ scene, seats, aimed, held, touched, targets, choices, cross, hint, thought, flipped }) {
  const { x, y, width, height } = frame(scene);
  const taken = standing(scene, []);
  return html`
    <svg class="hand-marks" data-flipped=${flipped ? "" : null} viewBox=${`${x} ${y} ${width} ${height}`} aria-hidden="true">
      ${thought.map((cell) => html`<${Picked} key=${cellKey(cell)} board=${scene.board} cells=${[cell]} ahead />`)}
      ${held.length > 0 && html`<${Picked} board=${scene.board} cells=${held} />`}
      ${touched.slice(1).map((cell) => html`<${Picked} key=${cellKey(cell)} board=${scene.board} cells=${[cell]} />`)}
      ${[...targets].map(([key, { cell }]) => {
        const chosen = choices.get(key);
        return chosen
          ? html`<${Choice} key=${key} board=${scene.board} cell=${cell} chosen=${chosen} seats=${seats} flipped=${flipped} />`
          : html`<${Goal} key=${key} board=${scene.board} cell=${cell} ring=${taken.has(key)} />`;
      })}
      ${hint && hint.length > 0 && html`<${Arrow} board=${scene.board} hint=${hint} />`}
      ${aimed && html`<${Aimed} board=${scene.board} cell=${aimed} />`}
      ${cross && html`<${Cross} board=${scene.board} cell=${cross} />`}
    </svg>
  `;
}

/**
 * Around all cells of a piece: they are in one line, or one.
 *
 * @param {{board: Scene["board"], cells: Cell[], ahead?: boolean}} props
 */
function Picked({ board, cells, ahead = false }) {
  if (board === "hex") {
    return cells.map(([row, col]) => {
      const { x, y } = centre(board, { row, col });
      return html`<path key=${`${row} ${col}`} class=${ahead ? "picked ahead" : "picked"} d=${hexagon(x, y, 52)} />`;
    });
  }
  const [rows, cols] = [cells.map(([row]) => row), cells.map(([, col]) => col)];
  const [top, left] = [Math.min(...rows), Math.min(...cols)];
  const [high, wide] = [Math.max(...rows) - top + 1, Math.max(...cols) - left + 1];
  return html`<rect class=${ahead ? "picked ahead" : "picked"} x=${left * CELL + 4} y=${top * CELL + 4} width=${wide * CELL - 8} height=${high * CELL - 8} />`;
}

/** @param {{board: Scene["board"], cell: Cell, ring: boolean}} props */
function Goal({ board, cell: [row, col], ring }) {
  const { x, y } = centre(board, { row, col });
  return ring ? html`<circle class="ring" cx=${x} cy=${y} r="42" />` : html`<circle class="dot" cx=${x} cy=${y} r="16" />`;
}

/**
 * A piece, or a name, on a cell that stands for a choice; it is upright on a turned board.
 *
 * @param {{board: Scene["board"], cell: Cell, chosen: Chosen, seats: SeatOf[], flipped: boolean}} props
 */
function Choice({ board, cell: [row, col], chosen: { name, mark }, seats, flipped }) {
  const { x, y } = centre(board, { row, col });
  return html`
    <g class="choice" transform=${`translate(${x} ${y})${flipped ? " rotate(180)" : ""}`}>
      <circle r="46" />
      ${mark ? html`<g class=${`mark ${mark.shape} ${seatClass(seats, mark.seat)}`} transform="scale(0.8)"><${Shape} mark=${mark} /></g>` : html`<text y="16">${name}</text>`}
    </g>
  `;
}

/**
 * The stone that would stand there.
 *
 * @param {{board: Scene["board"], cell: Cell}} props
 */
function Aimed({ board, cell: [row, col] }) {
  const { x, y } = centre(board, { row, col });
  return html`<circle class="aimed" cx=${x} cy=${y} r="45" />`;
}

/** @param {{board: Scene["board"], cell: Cell}} props */
function Cross({ board, cell: [row, col] }) {
  const { x, y } = centre(board, { row, col });
  return html`<path class="cross" d=${`M${x - 26} ${y - 26}l52 52m0 -52l-52 52`} />`;
}

/**
 * From the piece to where it should go; a ring where both are one.
 *
 * @param {{board: Scene["board"], hint: Cell[][]}} props
 */
function Arrow({ board, hint }) {
  const [row, col] = hint[0][0];
  const [toRow, toCol] = hint[hint.length - 1][0];
  const [from, to] = [centre(board, { row, col }), centre(board, { row: toRow, col: toCol })];
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return html`<circle class="advice" cx=${from.x} cy=${from.y} r="44" />`;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const neck = { x: to.x - dx * 34, y: to.y - dy * 34 };
  const head = [to.x, to.y, neck.x - dy * 20, neck.y + dx * 20, neck.x + dy * 20, neck.y - dx * 20].map(Math.round);
  return html`
    <path class="advice" d=${`M${Math.round(from.x)} ${Math.round(from.y)}L${Math.round(neck.x)} ${Math.round(neck.y)}`} />
    <path class="advice head" d=${`M${head[0]} ${head[1]}L${head[2]} ${head[3]}L${head[4]} ${head[5]}z`} />
  `;
}
