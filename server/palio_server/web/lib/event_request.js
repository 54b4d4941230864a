/**
 * What is posted to make an event, from what has been filled in; and which field a refusal is about.
 *
 * @typedef {{name: string, game: string, format: string, rules: Record<string, unknown>, options: Record<string, string>, bots: string[],
 *   admits: "listed"|"token"|"open", tc?: string, st?: string, openings?: string, seed?: number, by_time?: boolean, starts_at?: string, start?: true}} Wanted
 * @typedef {{get(name: string): FormDataEntryValue|null, getAll(name: string): FormDataEntryValue[], has(name: string): boolean}} Filled
 */

/** @import { FormatItem, GameItem } from "../types/wire.js" */

import { optionsOf } from "./listed.js";

/**
 * Only what was filled in, so that the server's own defaults hold.
 *
 * @param {GameItem} game
 * @param {FormatItem} format
 * @param {Filled} data
 * @returns {Wanted}
 */
export function eventRequest(game, format, data) {
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const admits = text("admits");
  return {
    name: text("name"),
    game: game.name,
    format: format.name,
    rules: Object.fromEntries(Object.entries(format.rules).flatMap(([name, usual]) => rule(name, usual, data))),
    options: optionsOf(game, text),
    bots: data.getAll("bot").map(String),
    admits: admits === "token" || admits === "open" ? admits : "listed",
    ...(text("tc") ? { tc: text("tc") } : {}),
    ...(text("st") ? { st: text("st") } : {}),
    ...(text("opening_plies") ? { openings: text("opening_plies") } : {}),
    ...(text("seed") ? { seed: Number(text("seed")) } : {}),
    ...(data.has("by_time") ? { by_time: true } : {}),
    ...(text("when") === "now" ? { start: /** @type {const} */ (true) } : {}),
    ...(text("when") === "at" && text("starts_at") ? { starts_at: new Date(text("starts_at")).toISOString() } : {}),
  };
}

/**
 * Why nothing can start at a local time as a form has it ("2026-03-29T02:30"); "" if it can. Where a clock is put
 * forward it skips an hour, and a browser takes 2:30 for another time without a word.
 *
 * @param {string} local
 */
export function noSuchTime(local) {
  const at = new Date(`${local}Z`);
  const here = new Date(local);
  const same = here.getHours() === at.getUTCHours() && here.getMinutes() === at.getUTCMinutes();
  return same ? "" : `${local.replace("T", " ")} does not exist here: the clock is put forward over that hour. Give a time before or after it.`;
}

/**
 * A rule that was changed, as JSON has it; none if it was left as it is.
 *
 * @param {string} name
 * @param {unknown} usual
 * @param {Filled} data
 * @returns {[string, unknown][]}
 */
function rule(name, usual, data) {
  if (typeof usual === "boolean") return data.has(`rule ${name}`) === usual ? [] : [[name, !usual]];
  const text = String(data.get(`rule ${name}`) ?? "").trim();
  if (!text || text === String(usual)) return [];
  if (Array.isArray(usual)) return [[name, text.split(/[\s,+]+/).filter(Boolean)]];
  return [[name, Number.isNaN(Number(text)) ? text : Number(text)]];
}

/**
 * The field that a refusal speaks of: the one whose text the server's sentence quotes, or else whose name it has; "" if
 * there is none. The longest name that is there counts, so that "games_per_encounter" is not taken for "game"; the
 * earliest of equals.
 *
 * @param {string} sentence
 * @param {[name: string, text: string][]} fields  as the form has them: "tc", "rule rounds", "option rows"
 */
export function fieldOf(sentence, fields) {
  const quoted = fields.find(([, text]) => text && [`'${text}'`, `"${text}"`].some((quote) => sentence.includes(quote)));
  if (quoted) return quoted[0];
  const found = fields.flatMap(([name]) => {
    const bare = name.replace(/^(rule|option) /, "");
    const place = sentence.search(new RegExp(`(^|[^\\w])${bare.replaceAll(/[-_]/g, "[-_ ]")}($|[^\\w])`, "i"));
    return place < 0 ? [] : [{ name, bare, place }];
  });
  found.sort((a, b) => b.bare.length - a.bare.length || a.place - b.place);
  return found[0]?.name ?? "";
}

/**
 * Names and texts of the fields that a refusal can stand at.
 *
 * @param {HTMLFormElement|null} form
 * @returns {[string, string][]}
 */
export function fieldsOf(form) {
  const fields = [...(form?.elements ?? [])].filter((each) => each instanceof HTMLInputElement || each instanceof HTMLSelectElement || each instanceof HTMLTextAreaElement);
  return fields.filter(({ name, type }) => name && type !== "radio" && type !== "password").map(({ name, value }) => [name, value]);
}
