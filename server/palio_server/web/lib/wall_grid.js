/**
 * Where the small boards of the hall's screen stand: a grid that grows by a row, then by a column, and so on, so that a
 * card keeps its row and its column however many come after it.
 */

/** @type {{row: number, col: number}[]} */
const PLACES = [];
for (let last = 0; PLACES.length < 16; last += 1) {
  for (let col = 0; col < last; col += 1) PLACES.push({ row: last, col });
  for (let row = 0; row <= last; row += 1) PLACES.push({ row, col: last });
}

/**
 * The row and column of a place, from 1.
 *
 * @param {number} place
 */
export function cell(place) {
  const { row, col } = PLACES[place];
  return { row: row + 1, col: col + 1 };
}

/**
 * Compares two places: row by row.
 *
 * @param {number} a
 * @param {number} b
 */
export function inReadingOrder(a, b) {
  return PLACES[a].row - PLACES[b].row || PLACES[a].col - PLACES[b].col;
}

/**
 * How many rows and columns hold all places that are taken.
 *
 * @param {unknown[]} slots  null where nobody is
 */
export function size(slots) {
  const taken = PLACES.filter((_, place) => slots[place]);
  return { rows: Math.max(0, ...taken.map(({ row }) => row + 1)), cols: Math.max(0, ...taken.map(({ col }) => col + 1)) };
}

/** How many small boards may be asked for. */
export const MOST = 16;
