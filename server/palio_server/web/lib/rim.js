/**
 * What is drawn outside the cells: edges that seats want to reach, sockets behind them, the fence with its gaps.
 *
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 * @typedef {{seat: number, path: string, sockets: (Point & {full: boolean})[]}} Goal
 */

/** @import { Edge, Scene, SeatOf } from "../types/wire.js" */
/** @import { Point } from "./grid.js" */

import { CELL, centre, outward, round, sideOf } from "./grid.js";

const BAND = 14; // from the cells to the middle of a goal's line
const SOCKET = 98; // from the middle of a cell to that of the socket behind it
const SOCKET_SIZE = 22; // half the width of a socket with its line
const LINE = 11; // half the width of a goal's line
export const FENCE = 6; // from the cells to the middle of the fence
const ARROW = 54; // how far an arrow out of a gap reaches

/**
 * The edges as lines with their sockets.
 *
 * @param {Scene} scene
 * @returns {Goal[]}
 */
export function goals({ board, edges = [] }) {
  return edges.map((edge) => {
    const [seat] = edge;
    const away = facing(board, edge);
    return { seat, path: written(lineOf(board, edge, away)), sockets: socketsOf(board, edge, away) };
  });
}

/**
 * Where an edge looks: the middle of its sides' directions.
 *
 * @param {Scene["board"]} board
 * @param {Edge} edge
 * @returns {Point}
 */
function facing(board, [, sides]) {
  const all = sides.map((side) => outward(board, side));
  const [x, y] = [sum(all.map((each) => each.x)), sum(all.map((each) => each.y))];
  const length = Math.hypot(x, y) || 1;
  return { x: x / length, y: y / length };
}

/**
 * The sides of an edge, moved outwards together, and joined where they meet.
 *
 * @param {Scene["board"]} board
 * @param {Edge} edge
 * @param {Point} away
 */
function lineOf(board, [, sides, cells], away) {
  const moved = (/** @type {Point} */ { x, y }) => ({ x: round(x + BAND * away.x), y: round(y + BAND * away.y) });
  return joined(cells.flatMap(([row, col]) => sides.map((side) => sideOf(board, row, col, side).map(moved))));
}

/**
 * Lines that share an end become one.
 *
 * @param {Point[][]} lines
 */
function joined(lines) {
  const rest = [...lines];
  const found = [];
  while (rest.length) {
    let line = rest.shift() ?? [];
    for (let index = next(rest, line); index >= 0; index = next(rest, line)) {
      const [other] = rest.splice(index, 1);
      line = same(other[0], line[line.length - 1]) ? [...line, ...other.slice(1)] : [...other, ...line.slice(1)];
    }
    found.push(line);
  }
  return found;
}

/**
 * @param {Point[][]} lines
 * @param {Point[]} line
 */
function next(lines, line) {
  return lines.findIndex((other) => same(other[0], line[line.length - 1]) || same(other[other.length - 1], line[0]));
}

/**
 * @param {Point} a
 * @param {Point} b
 */
function same(a, b) {
  return Math.abs(a.x - b.x) < 0.1 && Math.abs(a.y - b.y) < 0.1;
}

/** @param {Point[][]} lines */
function written(lines) {
  return lines.map((line) => `M${line.map(({ x, y }) => `${x} ${y}`).join("L")}`).join("");
}

/**
 * As many sockets as the edge has, spread over its cells.
 *
 * @param {Scene["board"]} board
 * @param {Edge} edge
 * @param {Point} away
 */
function socketsOf(board, [, , cells, sockets, filled], away) {
  return Array.from({ length: sockets }, (_, index) => {
    const place = sockets > 1 ? (index * (cells.length - 1)) / (sockets - 1) : (cells.length - 1) / 2;
    const [before, after] = [cells[Math.floor(place)], cells[Math.ceil(place)]].map(([row, col]) => centre(board, { row, col }));
    const part = place - Math.floor(place);
    const at = (/** @type {"x"|"y"} */ axis) => round(before[axis] + part * (after[axis] - before[axis]) + SOCKET * away[axis]);
    return { x: at("x"), y: at("y"), full: index < filled };
  });
}

/**
 * The fence round a board of squares, but for its gaps; nothing where there is no gap.
 *
 * @param {Scene} scene
 */
export function fence({ board, rows, cols, gaps = [] }) {
  if (board === "hex" || !gaps.length) return "";
  const open = new Set(gaps.map(String));
  const range = (/** @type {number} */ length) => Array.from({ length }, (_, index) => index);
  const sides = [
    ...range(cols).map((col) => [0, col, 3]),
    ...range(rows).map((row) => [row, cols - 1, 0]),
    ...range(cols).map((col) => [rows - 1, cols - 1 - col, 1]),
    ...range(rows).map((row) => [rows - 1 - row, 0, 2]),
  ]; // clockwise, from the top left corner
  const first = sides.findIndex((side) => open.has(String(side)));
  const closed = [...sides.slice(first), ...sides.slice(0, first)].filter((side) => !open.has(String(side)));
  const out = (/** @type {number} */ at, /** @type {number} */ length) => (at < 1 ? -FENCE : at > length * CELL - 1 ? at + FENCE : at);
  const grown = (/** @type {Point} */ { x, y }) => ({ x: out(x, cols), y: out(y, rows) });
  return written(joined(closed.map(([row, col, side]) => sideOf("square", row, col, side).map(grown))));
}

/**
 * An arrow out of each gap.
 *
 * @param {Scene} scene
 */
export function arrows({ board, gaps = [] }) {
  return gaps
    .map(([row, col, side]) => {
      const { x, y } = centre(board, { row, col });
      const { x: dx, y: dy } = outward(board, side);
      const at = (/** @type {number} */ ahead, /** @type {number} */ aside) =>
        `${round(x + ahead * dx - aside * dy)} ${round(y + ahead * dy + aside * dx)}`;
      const base = CELL / 2 + 22;
      return `M${at(base, -28)}L${at(base + 30, 0)}L${at(base, 28)}z`;
    })
    .join("");
}

/**
 * The lines of a scene. One that ends at a gap goes on through it.
 *
 * @param {Scene} scene
 */
export function ways({ board, lines = [], gaps = [] }) {
  return lines.map(([kind, seat, cells]) => {
    const points = cells.map(([row, col]) => centre(board, { row, col }));
    const gap = gaps.find(([row, col]) => row === cells.at(-1)?.[0] && col === cells.at(-1)?.[1]);
    const end = points.at(-1);
    if (gap && end) {
      const { x, y } = outward(board, gap[2]);
      points.push({ x: round(end.x + (x * CELL) / 2), y: round(end.y + (y * CELL) / 2) });
    }
    return { kind, seat, path: points.length > 1 ? written([points]) : "" };
  });
}

/**
 * The box of all that is drawn outside the cells; null where nothing is.
 *
 * @param {Scene} scene
 * @returns {Box|null}
 */
export function rim(scene) {
  const { board, rows, cols, edges = [], gaps = [] } = scene;
  const boxes = edges.flatMap((edge) => {
    const away = facing(board, edge);
    const line = lineOf(board, edge, away).flat().map((point) => around(point, LINE));
    return [...line, ...socketsOf(board, edge, away).map((point) => around(point, SOCKET_SIZE))];
  });
  if (gaps.length && board !== "hex") boxes.push({ left: -2 * FENCE, top: -2 * FENCE, right: cols * CELL + 2 * FENCE, bottom: rows * CELL + 2 * FENCE });
  for (const [row, col, side] of gaps) {
    const [{ x, y }, away] = [centre(board, { row, col }), outward(board, side)];
    const reach = CELL / 2 + ARROW;
    boxes.push(around({ x: x + reach * away.x, y: y + reach * away.y }, 4));
  }
  return boxes.length ? boxes.reduce((all, box) => widened(all, box)) : null;
}

/**
 * The smallest box that holds both.
 *
 * @param {Box} box
 * @param {Box|null} other
 * @returns {Box}
 */
export function widened(box, other) {
  if (!other) return box;
  return {
    left: Math.min(box.left, other.left),
    right: Math.max(box.right, other.right),
    top: Math.min(box.top, other.top),
    bottom: Math.max(box.bottom, other.bottom),
  };
}

/**
 * Goals and ways out in words, for those who cannot see them.
 *
 * @param {Scene} scene
 * @param {SeatOf[]} seats
 */
export function edgeWords({ edges = [], gaps = [], row_names: rows = [] }, seats) {
  const name = (/** @type {number} */ seat) => seats[seat]?.name ?? `seat ${seat + 1}`;
  const aims = edges.map((edge) => `${name(edge[0])} goes to the ${where(edge)} edge`);
  const exits = gaps.map(([row, , side]) => (side % 2 ? "a way out" : `a way out of row ${rows[row] ?? row + 1}, on the ${side ? "left" : "right"}`));
  return [...aims, ...exits];
}

/** @param {Edge} edge */
function where([, sides]) {
  if (sides.length > 1) {
    const away = facing("hex", [0, sides, [], 0, 0]);
    const height = Math.abs(away.y) < 0.1 ? "" : away.y > 0 ? "lower" : "upper";
    const hand = Math.abs(away.x) < 0.1 ? "" : away.x > 0 ? "right" : "left";
    return [height, hand].filter(Boolean).join(" ");
  }
  return ["right", "lower", "left", "upper"][sides[0]] ?? "";
}

/**
 * @param {Point} point
 * @param {number} size
 * @returns {Box}
 */
function around({ x, y }, size) {
  return { left: x - size, right: x + size, top: y - size, bottom: y + size };
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((all, number) => all + number, 0);
}
