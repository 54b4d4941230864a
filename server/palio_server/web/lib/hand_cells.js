/**
 * A board's cells for those who go over it with keys or listen to it: where an arrow leads, what a cell says.
 */

/** @import { Scene, SeatOf } from "../types/wire.js" */
/** @import { Cell } from "./hand.js" */

import { cellKey } from "./hand.js";
import { cells, isTile, readMark } from "./scene.js";

/** @typedef {{row: number, cells: Cell[]}} Row */

/**
 * The cells row by row, as a grid has them; the last ones first if the board is turned.
 *
 * @param {Scene} scene
 * @param {boolean} [flipped]
 * @returns {Row[]}
 */
export function rowsOf(scene, flipped = false) {
  /** @type {Map<number, Cell[]>} */
  const rows = new Map();
  for (const cell of cells(scene)) rows.set(cell[0], [...(rows.get(cell[0]) ?? []), cell]);
  const sense = flipped ? -1 : 1;
  return [...rows].map(([row, own]) => ({ row, cells: own.sort((a, b) => sense * (a[1] - b[1])) })).sort((a, b) => sense * (a.row - b.row));
}

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/** @type {Record<string, string>} */
const TURNED = { ArrowUp: "ArrowDown", ArrowDown: "ArrowUp", ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft", Home: "End", End: "Home" };

/**
 * The cell that a key leads to from `from`; null where it leads nowhere. On hexagons up and down lean right and left by
 * turns, so that one goes straight.
 *
 * @param {Scene} scene
 * @param {Cell} from
 * @param {string} pressed
 * @param {boolean} [flipped]
 * @returns {Cell|null}
 */
export function step(scene, from, pressed, flipped = false) {
  const key = (flipped && TURNED[pressed]) || pressed;
  const known = new Set(cells(scene).map(cellKey));
  const own = cells(scene).filter(([row]) => row === from[0]).sort((a, b) => a[1] - b[1]);
  if (key === "Home") return own[0] ?? null;
  if (key === "End") return own.at(-1) ?? null;
  const way = ARROWS[key];
  if (!way) return null;
  for (const lean of leans(scene, from, way)) {
    /** @type {Cell} */
    const to = [from[0] + way[0], from[1] + way[1] + lean];
    if (known.has(cellKey(to))) return to;
  }
  return null;
}

/**
 * @param {Scene} scene
 * @param {Cell} from
 * @param {[number, number]} way
 */
function leans({ board }, from, way) {
  if (board !== "hex" || way[0] === 0) return [0];
  const sideways = way[0] === -1 ? 1 : -1; // in axial coordinates the other neighbour above is one column on
  return from[0] % 2 ? [sideways, 0] : [0, sideways];
}

/**
 * What a cell is called: "e2", as the board's edges name it; "(-1,2)" on hexagons, from the middle, as moves are written;
 * else by numbers.
 *
 * @param {Scene} scene
 * @param {Cell} cell
 */
export function cellName(scene, [row, col]) {
  const { row_names: rows = [], col_names: cols = [] } = scene;
  if (scene.board === "hex") return `(${col - Math.floor(scene.cols / 2)},${row - Math.floor(scene.rows / 2)})`;
  if (isLettered(scene)) return `${cols[col]}${rows[row]}`;
  return rows.length && cols.length ? `row ${rows[row]}, column ${cols[col]}` : `row ${row + 1}, column ${col + 1}`;
}

/**
 * Whether cells have short names, as in chess.
 *
 * @param {Scene} scene
 */
export function isBrief(scene) {
  return scene.board === "hex" || isLettered(scene);
}

/** @param {Scene} scene */
function isLettered({ row_names: rows = [], col_names: cols = [] }) {
  return rows.length > 0 && cols.length > 0 && /^[a-z]/i.test(cols[0]);
}

/**
 * What stands on each cell, in words, by key: "white pawn". Of two pieces on one cell both.
 *
 * @param {Scene} scene
 * @param {SeatOf[]} seats
 * @returns {Map<string, string>}
 */
export function standing(scene, seats) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const mark of scene.marks.map(readMark)) {
    if (isTile(mark) || mark.shape === "label") continue;
    const owner = mark.seat === null || seats.length < 2 ? "" : (seats[mark.seat]?.name ?? `seat ${mark.seat + 1}`);
    const words = [owner, mark.shape === "area" ? "point" : mark.shape, mark.text].filter(Boolean).join(" ");
    for (let row = mark.row; row < mark.row + mark.rows; row += 1)
      for (let col = mark.col; col < mark.col + mark.cols; col += 1) {
        const key = cellKey([row, col]);
        const before = found.get(key);
        found.set(key, before ? `${before} and ${words}` : words);
      }
  }
  return found;
}

/**
 * A list as people write it: "d3, e3 or f3".
 *
 * @param {string[]} names
 */
export function either(names) {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
