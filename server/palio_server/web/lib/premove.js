/**
 * A move thought ahead: touched while the opponent thinks, and played when the turn comes, if it is legal then.
 *
 * Only games whose moves have two touches or more, from and to, have it: where one touch makes a move, as in Go, a slip
 * would be played before anybody sees it, and the opponent's next stone changes what one would answer.
 */

/** @import { HandMove, PositionItem, Scene } from "../types/wire.js" */
/** @import { Cell } from "./hand.js" */

import { cellKey, named, open, touch } from "./hand.js";
import { cells, pieces as piecesOf } from "./scene.js";

/**
 * Whether moves of this game can be thought ahead.
 *
 * @param {PositionItem|null} position  any of the match
 */
export function isThoughtAhead(position) {
  const moves = position?.hand === "touches" ? (position.moves ?? []) : [];
  const touched = moves.length - named(moves).length;
  return touched > 0 && moves.every(({ touches }) => touches.length !== 1);
}

/**
 * What may be touched ahead: from each piece of `seat` to each cell without one. Which of these the rules will allow is
 * not known before the opponent has moved. A touch on another own piece takes that one instead; only dragging leads there.
 *
 * @param {Scene} scene
 * @param {number} seat
 * @returns {HandMove[]}
 */
export function thoughts(scene, seat) {
  /** @type {Map<string, Cell[]>} */
  const pieces = new Map();
  for (const mark of piecesOf(scene)) {
    if (mark.seat !== seat || mark.shape === "label") continue;
    /** @type {Cell[]} */
    const own = [];
    for (let row = mark.row; row < mark.row + mark.rows; row += 1) for (let col = mark.col; col < mark.col + mark.cols; col += 1) own.push([row, col]);
    pieces.set(cellKey(own[0]), own);
  }
  const taken = new Set([...pieces.values()].flat().map(cellKey));
  const free = cells(scene).filter((cell) => !taken.has(cellKey(cell)));
  return [...pieces.values()].map((own) => ({ move: null, notation: "", touches: [own, free], effect: "", choice: null }));
}

/**
 * The legal move that these touches make; null if there is none. Of moves that differ in a further touch only, the first:
 * a pawn becomes a queen.
 *
 * @param {HandMove[]} moves
 * @param {Cell[]} thought
 * @returns {HandMove|null}
 */
export function made(moves, thought) {
  /** @type {Cell[]} */
  let touched = [];
  for (const cell of thought) {
    const next = touch(moves, touched, cell);
    if (next.kind === "chosen") return next.move;
    if (next.kind === "refused" || next.touched.length <= touched.length) return null;
    touched = next.touched;
  }
  return open(moves, touched).find(({ touches }) => touches.length === touched.length + 1) ?? null;
}
