/** Where cells lie in a picture whose cells are 100 units wide: squares, or hexagons that stand on a corner. */

/** @import { Scene } from "../types/wire.js" */

export const CELL = 100;
const ROOT3 = Math.sqrt(3);
export const HEX = CELL / ROOT3; // from a hexagon's centre to its corner; hexagons are CELL wide

/**
 * @typedef {{x: number, y: number}} Point
 */

/**
 * The centre of a cell, or of the extent of a mark. On a hex board rows and cols are axial (r, q).
 *
 * @param {Scene["board"]} board
 * @param {{row: number, col: number, rows?: number, cols?: number}} place
 * @returns {Point}
 */
export function centre(board, { row, col, rows = 1, cols = 1 }) {
  if (board === "hex") return { x: CELL * (col + 0.5 + row / 2), y: HEX * (1 + 1.5 * row) };
  return { x: (col + cols / 2) * CELL, y: (row + rows / 2) * CELL };
}

/**
 * Which way a side of a cell looks, as a vector of length 1. Sides are numbered clockwise from the right.
 *
 * @param {Scene["board"]} board
 * @param {number} side
 * @returns {Point}
 */
export function outward(board, side) {
  const turn = side * (board === "hex" ? Math.PI / 3 : Math.PI / 2);
  return { x: Math.cos(turn), y: Math.sin(turn) };
}

/**
 * The ends of one side of a cell, clockwise.
 *
 * @param {Scene["board"]} board
 * @param {number} row
 * @param {number} col
 * @param {number} side
 * @returns {[Point, Point]}
 */
export function sideOf(board, row, col, side) {
  const { x, y } = centre(board, { row, col });
  const [step, radius] = board === "hex" ? [Math.PI / 3, HEX] : [Math.PI / 2, CELL / Math.SQRT2];
  const corner = (/** @type {number} */ turn) => ({ x: round(x + radius * Math.cos(turn)), y: round(y + radius * Math.sin(turn)) });
  return [corner((side - 0.5) * step), corner((side + 0.5) * step)];
}

/**
 * A hexagon that stands on a corner, as a path.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
export function hexagon(x, y, radius) {
  const [half, side] = [(radius * ROOT3) / 2, radius / 2];
  const at = (/** @type {number} */ dx, /** @type {number} */ dy) => `${round(x + dx)} ${round(y + dy)}`;
  const corners = [at(0, -radius), at(half, -side), at(half, side), at(0, radius), at(-half, side), at(-half, -side)];
  return `M${corners.join("L")}z`;
}

/** @param {number} number */
export function round(number) {
  return Math.round(number * 100) / 100;
}
