/**
 * Which piece of a position is which piece of the position before, so that a board can move it instead of redrawing it.
 *
 * Positions do not name their pieces; two marks are taken for one piece that moved if they have the same kind, nearest
 * pairs first. A piece that changed its kind or came from nowhere is new.
 *
 * @typedef {{key: number, mark: Mark, from: {row: number, col: number}|null}} Piece
 *   `from` is where it stood before, if it has moved
 */

/** @import { Mark } from "./scene.js" */

/** @param {Mark} mark */
const kind = ({ shape, seat, rows, cols, text }) => [shape, seat, rows, cols, text].join(" ");
const PLACED = new Set(["stone", "area"]); // what is put down stays there: another one is not the same one, moved
/** @param {Mark} mark */
const place = ({ row, col }) => `${row} ${col}`;

/**
 * @param {Piece[]} before
 * @param {Mark[]} marks
 * @returns {Piece[]} one for each mark, in the same order
 */
export function track(before, marks) {
  /** @type {Map<string, Piece[]>} */
  const free = new Map(); // kind -> pieces of the position before that have not been found again
  for (const piece of before) free.set(kind(piece.mark), [...(free.get(kind(piece.mark)) ?? []), piece]);
  /** @type {Map<number, Piece>} */
  const found = new Map(); // index of a mark -> its piece
  marks.forEach((mark, index) => {
    const same = (free.get(kind(mark)) ?? []).find((piece) => place(piece.mark) === place(mark));
    if (same) take(free, mark, same, found, index);
  });
  marks.forEach((mark, index) => {
    const candidates = found.has(index) || PLACED.has(mark.shape) ? [] : (free.get(kind(mark)) ?? []);
    if (candidates.length) take(free, mark, nearest(candidates, mark), found, index);
  });
  let next = before.reduce((highest, { key }) => Math.max(highest, key), -1);
  return marks.map((mark, index) => {
    const old = found.get(index);
    if (!old) return { key: (next += 1), mark, from: null };
    const moved = place(old.mark) !== place(mark);
    return { key: old.key, mark, from: moved ? { row: old.mark.row, col: old.mark.col } : null };
  });
}

/**
 * @param {Map<string, Piece[]>} free
 * @param {Mark} mark
 * @param {Piece} piece
 * @param {Map<number, Piece>} found
 * @param {number} index
 */
function take(free, mark, piece, found, index) {
  found.set(index, piece);
  const rest = (free.get(kind(mark)) ?? []).filter((other) => other !== piece);
  free.set(kind(mark), rest);
}

/**
 * @param {Piece[]} candidates
 * @param {Mark} mark
 */
function nearest(candidates, { row, col }) {
  const distance = (/** @type {Piece} */ { mark }) => Math.hypot(mark.row - row, mark.col - col);
  return candidates.reduce((best, piece) => (distance(piece) < distance(best) ? piece : best));
}
