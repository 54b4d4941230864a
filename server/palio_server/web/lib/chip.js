/** Which piece stands for a seat beside its name. */

/**
 * @typedef {Pick<Scene, "chips"> & Partial<Pick<Scene, "marks">>} Pieces  of a scene, what shows the seats' pieces
 */

/** @import { GameItem, Scene } from "../types/wire.js" */
/** @import { Mark } from "./scene.js" */

import { isTile, readMark } from "./scene.js";

const NO_PIECES = new Set(["ball", "label", "wall", "area"]); // what is on a board without telling whose seat is whose

/**
 * The piece as a mark without a text: as the scene says, else like the first piece of the seat; if it has none left, like
 * somebody else's; else a disc.
 *
 * @param {Pieces|null} scene
 * @param {number} seat
 * @returns {Mark}
 */
export function chip(scene, seat) {
  const named = scene?.chips?.find(([, owner]) => owner === seat);
  const { shape, rows, cols } = readMark(named ?? found(scene, seat) ?? ["disc", seat, 0, 0, 1, 1, ""]);
  return { shape, seat, row: 0, col: 0, rows, cols, text: "" };
}

/**
 * The pieces of a game whose board is not there, for a list; null for a race and for a game that is not installed.
 *
 * @param {GameItem[]} games
 * @param {string} name
 * @returns {Pieces|null}
 */
export function piecesOf(games, name) {
  const pieces = games.find((game) => game.name === name)?.pieces ?? [];
  return pieces.length ? { chips: pieces } : null;
}

/**
 * @param {Pieces|null} scene
 * @param {number} seat
 */
function found(scene, seat) {
  const marks = scene?.marks ?? [];
  const isPiece = (/** @type {Scene["marks"][number]} */ mark) => mark[1] !== null && !NO_PIECES.has(mark[0]) && !isTile(readMark(mark));
  return marks.find((mark) => mark[1] === seat && isPiece(mark)) ?? marks.find(isPiece);
}
