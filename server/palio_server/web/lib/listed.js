/** Lists of numbers as people have them: lines of coordinates, or a file of TSPLIB, made the JSON that the server reads. */

/** @import { GameItem, OptionItem } from "../types/wire.js" */

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/giu;

/**
 * The JSON of what was pasted: `[[1, 2], [3, 4]]` of lines "1 2", `[1, 2]` of one number a line. Of three numbers a line the
 * first is the city's own, as in a NODE_COORD_SECTION. What is JSON already stays, and so does what has no numbers: the
 * server says what is wrong with it.
 *
 * @param {string} text
 */
export function listOf(text) {
  const trimmed = text.trim();
  if (!trimmed || trimmed.startsWith("[")) return trimmed;
  const section = trimmed.split(/NODE_COORD_SECTION|EDGE_WEIGHT_SECTION/iu).at(-1) ?? "";
  const rows = section.split(/[\n;]/u).flatMap((line) => {
    const numbers = /[a-df-z]/iu.test(line) ? [] : (line.match(NUMBER) ?? []).map(Number);
    return numbers.length ? [numbers] : [];
  });
  if (!rows.length) return trimmed;
  const wide = Math.max(...rows.map((row) => row.length));
  if (wide === 1) return JSON.stringify(rows.flat());
  return JSON.stringify(wide === 3 ? rows.map((row) => row.slice(1)) : rows);
}

/**
 * Whether an option is a list of numbers, which nobody types into a line.
 *
 * @param {OptionItem} option
 */
export function isList({ default: usual }) {
  return Array.isArray(usual);
}

/**
 * The options of a game that were filled in.
 *
 * @param {GameItem} game
 * @param {(field: string) => string} text  what stands in a field
 * @returns {Record<string, string>}
 */
export function optionsOf(game, text) {
  const filled = game.options.flatMap((option) => {
    const given = text(`option ${option.name}`);
    return given ? [[option.name, isList(option) ? listOf(given) : given]] : [];
  });
  return Object.fromEntries(filled);
}
