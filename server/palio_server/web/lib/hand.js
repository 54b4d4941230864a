/**
 * A move on its way from touches to the board: what has been touched in this turn, and what may be touched next.
 *
 * The geometry is the rules': each legal move says which cells a hand touches for it. `touched` is always the beginning
 * of some legal move, or empty.
 *
 * @typedef {[row: number, col: number]} Cell
 * @typedef {{kind: "chosen", move: HandMove}} Chosen  the touches make this move
 * @typedef {{kind: "touched", touched: Cell[]}} Touched  they begin one, or nothing is in hand any more
 * @typedef {{kind: "refused", cells: Cell[]}} Refused  they lead nowhere: the rules are asked why; nothing changes
 */

/** @import { HandMove } from "../types/wire.js" */
/** @import { Mark } from "./scene.js" */

import { readMark } from "./scene.js";

/** @param {Cell} cell */
export const cellKey = ([row, col]) => `${row} ${col}`;

/**
 * @param {Cell[]} cells
 * @param {Cell} cell
 */
const has = (cells, [row, col]) => cells.some((other) => other[0] === row && other[1] === col);

/**
 * The moves that are made by touches and begin with what is touched; a pass is made by none.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 */
export function open(moves, touched) {
  return moves.filter(({ touches }) => touches.length > touched.length && touched.every((cell, at) => has(touches[at], cell)));
}

/**
 * The moves that no touch makes: they are picked by their names.
 *
 * @param {HandMove[]} moves
 */
export function named(moves) {
  return moves.filter(({ touches }) => !touches.length);
}

/**
 * The cells that lead on from what is touched already, by key; whether touching one completes a move.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @returns {Map<string, {cell: Cell, lands: boolean}>}
 */
export function targets(moves, touched) {
  const found = new Map();
  for (const { touches } of open(moves, touched)) {
    const lands = touches.length === touched.length + 1;
    for (const cell of touches[touched.length]) found.set(cellKey(cell), { cell, lands: lands || Boolean(found.get(cellKey(cell))?.lands) });
  }
  return found;
}

/**
 * What the last touch chooses, by cell, if from and to are touched already: a piece where the rules draw one, else "Q"
 * and others where moves that differ in their last touch only are written e8=Q, e8=R+ and so on. Empty where there is
 * nothing to choose.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @returns {Map<string, {name: string, mark: Mark|null}>}
 */
export function choices(moves, touched) {
  const last = touched.length > 1 ? open(moves, touched).filter(({ touches }) => touches.length === touched.length + 1) : [];
  if (last.length < 2) return new Map();
  const names = last.map(({ notation }) => notation.replace(/[+#]+$/, ""));
  let shared = 0;
  while (names.every((name) => shared < name.length - 1 && name[shared] === names[0][shared])) shared += 1;
  return new Map(
    last.map(({ touches, choice }, index) => {
      const mark = choice ? readMark(choice) : null;
      return [cellKey(touches[touched.length][0]), { name: mark?.shape ?? names[index].slice(shared), mark }];
    }),
  );
}

/**
 * All cells of the piece on `cell`, if it can move; else none.
 *
 * @param {HandMove[]} moves
 * @param {Cell} cell
 * @returns {Cell[]}
 */
export function piece(moves, cell) {
  return open(moves, []).find(({ touches }) => has(touches[0], cell))?.touches[0] ?? [];
}

/**
 * All cells of the piece in hand.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 */
export function held(moves, touched) {
  return touched.length ? piece(moves, touched[0]) : [];
}

/**
 * Touch `cell` next. With a piece in hand, touching another one that can move takes that instead, and touching the same
 * one again lets it go, unless that makes a move.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @param {Cell} cell
 * @returns {Chosen|Touched|Refused}
 */
export function touch(moves, touched, cell) {
  const ahead = open(moves, touched).filter(({ touches }) => has(touches[touched.length], cell));
  const made = ahead.find(({ touches }) => touches.length === touched.length + 1);
  if (made) return { kind: "chosen", move: made };
  if (ahead.length) return { kind: "touched", touched: [...touched, cell] };
  if (touched.length && piece(moves, cell).length) {
    return { kind: "touched", touched: has(held(moves, touched), cell) ? [] : [cell] };
  }
  return { kind: "refused", cells: [...touched, cell] };
}

/**
 * Whether touching `cell` takes a piece into the hand, so that a drag may begin there.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @param {Cell} cell
 */
export function takes(moves, touched, cell) {
  const next = touch(moves, touched, cell);
  return next.kind === "touched" && next.touched.length === 1;
}
