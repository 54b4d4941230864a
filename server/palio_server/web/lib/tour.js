/**
 * A scene's `path`: the closed line through cells, and what of it has changed.
 *
 * @typedef {[row: number, col: number]} Cell
 */

/** @import { Scene } from "../types/wire.js" */

import { centre } from "./scene.js";

/**
 * The closed line as an SVG path; "" where there is none.
 *
 * @param {Scene["board"]} board
 * @param {Cell[]} [path]
 */
export function closedLine(board, path) {
  if (!path?.length) return "";
  return `M${path.map((cell) => point(board, cell)).join("L")}z`;
}

/**
 * The steps of `path` that `other` has not, as an SVG path. Which way round one goes makes no difference.
 *
 * @param {Scene["board"]} board
 * @param {Cell[]} path
 * @param {Cell[]} other
 */
export function stepsNotIn(board, path, other) {
  const known = new Set(steps(other).map(([a, b]) => name(a, b)));
  const own = steps(path).filter(([a, b]) => !known.has(name(a, b)));
  return own.map(([a, b]) => `M${point(board, a)}L${point(board, b)}`).join("");
}

/**
 * @param {Cell[]} path
 * @returns {[Cell, Cell][]}
 */
function steps(path) {
  return path.map((cell, i) => [cell, path[(i + 1) % path.length]]);
}

/**
 * @param {Cell} a
 * @param {Cell} b
 */
function name(a, b) {
  const [from, to] = [String(a), String(b)];
  return from < to ? `${from} ${to}` : `${to} ${from}`;
}

/**
 * @param {Scene["board"]} board
 * @param {Cell} cell
 */
function point(board, [row, col]) {
  const { x, y } = centre(board, { row, col });
  return `${Math.round(x)} ${Math.round(y)}`;
}
