/**
 * Where things of a Scene (palio_rules/scene.py) go on the page, in a picture whose cells are 100 units wide.
 *
 * @typedef {{shape: string, seat: number|null, row: number, col: number, rows: number, cols: number, text: string}} Mark
 */

/** @import { Mark as WireMark, Scene, SeatOf } from "../types/wire.js" */
/** @import { Box } from "./rim.js" */

import { CELL, centre, HEX, hexagon, round } from "./grid.js";
import { edgeWords, rim, widened } from "./rim.js";

export { CELL, centre, hexagon };

const MESH = 16; // rows or columns: the lines of a finer plain board would be a mesh that hides what lies on it
const CROWD = 60; // discs that are drawn as one path: as elements of their own so many would be slow
const NAME = 25; // the height of the names of rows and columns
const FINE = 0.024; // of the width of a board with lines, so that names stay readable on the largest one
const MARGIN = 1.92; // for the names, in their heights
const MARKERS = new Set(["label", "area"]); // what stands on no cell as a piece does

/**
 * A mark as it came over the wire, `[shape, seat, row, col, rows, cols, text]`, with its fields named.
 *
 * @param {WireMark} mark
 * @returns {Mark}
 */
export function readMark([shape, seat, row, col, rows = 1, cols = 1, text = ""]) {
  return { shape, seat, row, col, rows, cols, text };
}

/**
 * The picture's box: x, y, width, height, with room for what is drawn round the cells. A hex board's is as tight as its
 * cells allow.
 *
 * @param {Scene} scene
 */
export function frame(scene) {
  const { board, row_names: rowNames = [], col_names: colNames = [] } = scene;
  const { left, right, top, bottom } = widened(extent(scene), rim(scene));
  const margin = MARGIN * nameSize(scene);
  const [beside, below] = board === "hex" ? [0, 0] : [rowNames.length ? margin : 0, colNames.length ? margin : 0];
  return { x: left - beside, y: top, width: right - left + beside, height: bottom - top + below };
}

/**
 * Where the names of rows (x) and columns (y) stand: outside all else.
 *
 * @param {Scene} scene
 */
export function namesAt(scene) {
  const { left, bottom } = widened(extent(scene), rim(scene));
  const margin = MARGIN * nameSize(scene);
  return { x: left - margin / 2, y: bottom + 0.75 * margin };
}

/**
 * How high the names of rows and columns are.
 *
 * @param {Scene} scene
 */
export function nameSize({ board, rows, cols }) {
  return board === "lines" ? Math.max(NAME, FINE * CELL * Math.max(rows, cols)) : NAME;
}

/**
 * The box of the cells.
 *
 * @param {Scene} scene
 * @returns {Box}
 */
function extent(scene) {
  const { rows, cols, board } = scene;
  if (board !== "hex") return { left: 0, right: cols * CELL, top: 0, bottom: rows * CELL };
  const centres = cells(scene).map(([row, col]) => centre(board, { row, col }));
  const [left, right] = span(centres.map(({ x }) => x));
  const [top, bottom] = span(centres.map(({ y }) => y));
  return { left: left - CELL / 2, right: right + CELL / 2, top: top - HEX, bottom: bottom + HEX };
}

/**
 * The scene as a small picture shows it: without names, and without edges that would only take room from the cells.
 *
 * @param {Scene} scene
 * @returns {Scene}
 */
export function bare(scene) {
  const edges = scene.board === "hex" ? scene.edges : scene.edges?.filter(([, , , sockets]) => sockets > 0);
  return { ...scene, row_names: [], col_names: [], edges };
}

/**
 * The outline of one cell as a path.
 *
 * @param {Scene["board"]} board
 * @param {number} row
 * @param {number} col
 */
export function outline(board, row, col) {
  if (board !== "hex") return `M${col * CELL} ${row * CELL}h${CELL}v${CELL}h${-CELL}z`;
  const { x, y } = centre("hex", { row, col });
  return hexagon(x, y, HEX);
}

/**
 * The cells of the board. A hex board whose seatless `hex` marks say which cells exist has just those.
 *
 * @param {Scene} scene
 * @returns {[number, number][]}
 */
export function cells(scene) {
  const tiles = scene.board === "hex" ? scene.marks.map(readMark).filter(isTile) : [];
  if (tiles.length) return tiles.map(({ row, col }) => [row, col]);
  return Array.from({ length: scene.rows * scene.cols }, (_, i) => [Math.floor(i / scene.cols), i % scene.cols]);
}

/**
 * Whether a mark is part of the board, not a piece on it.
 *
 * @param {Mark} mark
 */
export function isTile(mark) {
  return mark.shape === "hex" && mark.seat === null && mark.text === "";
}

/**
 * The marks that are pieces, in the order in which they are drawn.
 *
 * @param {Scene} scene
 */
export function pieces(scene) {
  const marks = scene.marks.map(readMark);
  return scene.board === "hex" ? marks.filter((mark) => !isTile(mark)) : marks;
}

/**
 * The pieces, those that need no element of their own taken together: textless discs where there are very many.
 *
 * @param {Scene} scene
 * @returns {{dots: {seat: number|null, path: string}[], single: Mark[]}}  a dot is a line without length, in a round pen
 */
export function crowds(scene) {
  const all = pieces(scene);
  const isDot = (/** @type {Mark} */ { shape, text, rows, cols }) => shape === "disc" && text === "" && rows === 1 && cols === 1;
  const many = all.filter(isDot);
  if (many.length <= CROWD) return { dots: [], single: all };
  /** @type {Map<number|null, string>} */
  const paths = new Map();
  for (const mark of many) {
    const { x, y } = centre(scene.board, mark);
    paths.set(mark.seat, `${paths.get(mark.seat) ?? ""}M${round(x)} ${round(y)}h0`);
  }
  return { dots: [...paths].map(([seat, path]) => ({ seat, path })), single: all.filter((mark) => !isDot(mark)) };
}

/**
 * The paths of the plain and of the shaded cells.
 *
 * @param {Scene} scene
 */
export function ground(scene) {
  if (scene.board === "lines" || (scene.board === "plain" && Math.max(scene.rows, scene.cols) > MESH)) {
    return { light: `M0 0h${scene.cols * CELL}v${scene.rows * CELL}h${-scene.cols * CELL}z`, dark: "" };
  }
  const path = (/** @type {(row: number, col: number) => boolean} */ keep) =>
    cells(scene)
      .filter(([row, col]) => keep(row, col))
      .map(([row, col]) => outline(scene.board, row, col))
      .join("");
  const shaded = (/** @type {number} */ row, /** @type {number} */ col) => scene.board === "square" && (row + col) % 2 === 1;
  return { light: path((row, col) => !shaded(row, col)), dark: path(shaded) };
}

/**
 * The lines of a board whose pieces stand where two of them meet, and the dots on them; null of another board.
 *
 * @param {Scene} scene
 * @returns {{lines: string, dots: string}|null}  a dot is a line without length, in a round pen
 */
export function mesh({ board, rows, cols, dots = [] }) {
  if (board !== "lines") return null;
  const half = CELL / 2;
  const across = Array.from({ length: rows }, (_, row) => `M${half} ${row * CELL + half}h${(cols - 1) * CELL}`);
  const down = Array.from({ length: cols }, (_, col) => `M${col * CELL + half} ${half}v${(rows - 1) * CELL}`);
  return { lines: [...across, ...down].join(""), dots: dots.map(([row, col]) => `M${col * CELL + half} ${row * CELL + half}h0`).join("") };
}

/**
 * The piece of the last move on a board with lines, which has no cells to be coloured: a ring on it shows the move.
 *
 * @param {Scene} scene
 * @param {[number, number][]} last
 * @returns {Mark[]}
 */
export function ringed(scene, last) {
  if (scene.board !== "lines") return [];
  return pieces(scene).filter(({ shape, row, col }) => !MARKERS.has(shape) && last.some(([r, c]) => r === row && c === col));
}

/**
 * A key of what stays the same from ply to ply; it is written more cheaply than that is drawn.
 *
 * @param {Scene} scene
 */
export function still(scene) {
  const { board, rows, cols, marks, row_names: rowNames = [], col_names: colNames = [], edges = [], gaps = [], dots = [] } = scene;
  const tiles = board === "hex" ? marks.filter((mark) => isTile(readMark(mark))).map(([, , row, col]) => row * cols + col) : [];
  const goals = edges.map(([seat, sides, at, sockets]) => [seat, sides, at, sockets]);
  return [board, rows, cols, rowNames, colNames, gaps, goals, tiles, dots].join(" ");
}

/**
 * The texts of the pieces that stand in somebody's way.
 *
 * @param {Scene} scene
 */
export function inTheWay({ marks, lines = [] }) {
  const ways = lines.filter(([kind]) => kind === "way");
  const covers = (/** @type {Mark} */ { row, col, rows, cols }) =>
    ways.some(([, , way]) => way.slice(1).some(([r, c]) => r >= row && r < row + rows && c >= col && c < col + cols));
  return new Set(ways.length ? marks.map(readMark).filter(covers).map(({ text }) => text) : []);
}

/**
 * The cells that the last move touched: as the scene says, else where the pieces differ from those before.
 *
 * @param {Scene} scene
 * @param {Scene|null} [before]
 * @returns {[number, number][]}
 */
export function touched(scene, before) {
  if (scene.last?.length) return scene.last;
  if (!before || before.rows !== scene.rows || before.cols !== scene.cols) return [];
  const [old, now] = [new Map(index(before)), new Map(index(scene))];
  const changed = [...old, ...now].filter(([key]) => !(old.has(key) && now.has(key)));
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  for (const [, mark] of changed)
    for (let row = mark.row; row < mark.row + mark.rows; row += 1)
      for (let col = mark.col; col < mark.col + mark.cols; col += 1) found.set(`${row} ${col}`, [row, col]);
  return [...found.values()];
}

/**
 * @param {Scene} scene
 * @returns {[string, Mark][]}
 */
function index(scene) {
  return pieces(scene)
    .filter(({ shape }) => !MARKERS.has(shape))
    .map((mark) => [Object.values(mark).join(" "), mark]);
}

/**
 * The board in a sentence: "black: 12 pawns; white: 11 pawns".
 *
 * @param {Scene} scene
 * @param {SeatOf[]} seats
 */
export function describe(scene, seats) {
  /** @type {Map<string, Map<string, number>>} */
  const counts = new Map();
  for (const mark of pieces(scene)) {
    if (MARKERS.has(mark.shape)) continue;
    const owner = mark.seat === null ? "nobody" : (seats[mark.seat]?.name ?? `seat ${mark.seat + 1}`);
    const kinds = counts.get(owner) ?? new Map();
    counts.set(owner, kinds.set(mark.shape, (kinds.get(mark.shape) ?? 0) + 1));
  }
  const list = (/** @type {Map<string, number>} */ kinds) => [...kinds].map(([shape, n]) => `${n} ${shape}${n === 1 ? "" : "s"}`).join(", ");
  const tally = (/** @type {string} */ owner) => scene.tallies?.[seats.findIndex(({ name }) => name === owner)];
  const owners = [...counts].map(([owner, kinds]) => [`${owner}: ${list(kinds)}`, tally(owner)].filter(Boolean).join(", "));
  const way = scene.path?.length ? [`a closed line through ${scene.path.length} cells`] : [];
  return [`board of ${scene.rows} by ${scene.cols}`, ...owners, ...way, ...edgeWords(scene, seats)].join("; ");
}

/** @param {number[]} numbers */
function span(numbers) {
  return [Math.min(...numbers), Math.max(...numbers)];
}
