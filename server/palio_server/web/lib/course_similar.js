/** Which lines of a submission are alike to lines of another one. */

/** @import { SimilarPair } from "../types/wire.js" */

const HUES = 4; // of the blocks, in turn

/**
 * The lines of a file, from 1, that a pair has in common, with the colour of their block, 0 to 3: the same one on both sides.
 *
 * @param {Pick<SimilarPair, "lines">} pair
 * @param {0|1} side
 * @param {string} file
 * @returns {Map<number, number>}
 */
export function alikeLines({ lines }, side, file) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const [block, each] of lines.entries()) {
    const [name, [first, last]] = side === 0 ? [each.file, each.lines] : [each.other_file, each.other_lines];
    if (name !== file) continue;
    for (let line = first; line <= last; line += 1) found.set(line, block % HUES);
  }
  return found;
}
