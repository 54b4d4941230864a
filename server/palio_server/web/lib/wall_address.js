/**
 * The address of the hall's screen: what is shown is all in it, so that a link gives the same wall.
 *
 * @typedef {object} Asked
 * @property {string} event  its number, or its name
 * @property {string} game
 * @property {string} bot
 * @property {number|null} boards  null: as many as fit
 * @property {string[]} pins
 */

/** @import { GameItem, TournamentItem } from "../types/wire.js" */

import { asking, to } from "./router.js";
import { MOST } from "./wall_grid.js";

const WORDS = new Set(["event", "game", "bot", "boards", "pin"]);

/**
 * What an address asks for.
 *
 * @param {URLSearchParams} query
 * @returns {Asked}
 */
export function read(query) {
  const text = (/** @type {string} */ name) => (query.get(name) ?? "").trim();
  const pins = text("pin")
    .split(",")
    .map((pin) => pin.trim())
    .filter(Boolean);
  return { event: text("event"), game: text("game"), bot: text("bot"), boards: count(text("boards")), pins: [...new Set(pins)].slice(0, MOST + 1) };
}

/**
 * The address that asks for this.
 *
 * @param {Asked} asked
 */
export function address({ event, game, bot, boards, pins }) {
  const path = asking(to("tv"), { event, game, bot, boards: boards === null ? null : String(boards), pin: pins.join(",") });
  return path.replaceAll("%2C", ",");
}

/**
 * The event that is meant: by its number, its name, or its name as addresses have it ("siena-cup-2026").
 *
 * @param {string} event
 * @param {TournamentItem[]} events
 */
export function eventOf(event, events) {
  const named = slug(event);
  return events.find(({ id }) => String(id) === event) ?? events.findLast(({ name }) => slug(name) === named) ?? null;
}

/**
 * What of an address cannot be done, a sentence each. What is not known yet (null) is not complained of.
 *
 * @param {URLSearchParams} query
 * @param {{games: GameItem[]|null, events: TournamentItem[]|null, fitting: number}} known
 */
export function complaints(query, { games, events, fitting }) {
  const asked = read(query);
  const said = [...query.keys()].filter((name) => !WORDS.has(name)).map((name) => `“${name}” is no setting of this screen.`);
  if (asked.event && events && !eventOf(asked.event, events)) said.push(`There is no event “${asked.event}”; all matches are shown.`);
  if (asked.game && games?.length && !games.some(({ name }) => name === asked.game)) said.push(`There is no game “${asked.game}”; all games are shown.`);
  const boards = query.get("boards");
  if (boards && asked.boards === null) said.push(`“${boards}” is no number of boards from 0 to ${MOST}.`);
  else if (asked.boards !== null && asked.boards > fitting) said.push(`${asked.boards} small boards need a larger screen; ${fitting} are shown.`);
  return said;
}

/** @param {string} text */
function count(text) {
  return /^\d{1,2}$/.test(text) && Number(text) <= MOST ? Number(text) : null;
}

/** @param {string} text */
function slug(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}
