/**
 * The table at which somebody sits, kept in this tab so that a reload goes on with the game.
 *
 * @typedef {object} Kept
 * @property {Table} table  who we are there
 * @property {PlayRequest|null} request  what was asked for; null for those who came by a link
 * @property {Own[]} made  our moves, so that one can be taken back
 * @property {string} match  the one in which they were made
 * @property {boolean} [ready]  whether its clock may run
 */

/** @import { PlayRequest, Table } from "../types/wire.js" */
/** @import { Own } from "./bot_session.js" */

const KEY = "palio-table";
const MOST = 200; // moves that are kept: nobody takes back more

/** @typedef {Pick<Storage, "getItem"|"setItem"|"removeItem">} Store */

/**
 * The table that is kept, for `game` if it is named; null if none is.
 *
 * @param {string} [game]
 * @param {Store} [store]
 * @returns {Kept|null}
 */
export function kept(game, store = sessionStorage) {
  try {
    const found = /** @type {Kept|null} */ (JSON.parse(store.getItem(KEY) ?? "null"));
    return found?.table && (!game || found.table.game === game) ? found : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // not ours
    throw error;
  }
}

/**
 * @param {Kept} value
 * @param {Store} [store]
 */
export function keep(value, store = sessionStorage) {
  store.setItem(KEY, JSON.stringify({ ...value, made: value.made.slice(-MOST) }));
}

/** @param {Store} [store] */
export function forget(store = sessionStorage) {
  store.removeItem(KEY);
}
