/** What a heat map and its search need to know. */

const STEPS = 4; // on each side of level; the last one is for all or nothing

/**
 * How warm a cell is: −4 where all was lost, 0 where both made as much, 4 where all was won.
 *
 * @param {number} share  of the points, 0..1
 */
export function heat(share) {
  const off = share * 2 - 1;
  const size = Math.abs(off);
  if (size < 1e-9) return 0;
  return Math.sign(off) * (size > 1 - 1e-9 ? STEPS : 1 + Math.floor(size * (STEPS - 1)));
}

/**
 * Which bots are rows and columns of a table that has room for `most`: the first ones; with a search, those whose names
 * have it are the rows, and columns too.
 *
 * @template {{bot: string}} Line
 * @param {Line[]} lines  in order
 * @param {string} search
 * @param {number} most
 * @returns {{rows: Line[], cols: Line[]}}
 */
export function chosen(lines, search, most) {
  const first = lines.slice(0, most);
  const word = search.trim().toLowerCase();
  if (!word) return { rows: first, cols: first };
  const found = lines.filter(({ bot }) => bot.toLowerCase().includes(word)).slice(0, most);
  return { rows: found, cols: lines.filter((line, index) => index < most || found.includes(line)) };
}
