/** Which piece stands for a seat beside its name. */

/** @import { Scene } from "../types/wire.js" */
/** @import { Mark } from "./scene.js" */

import { isTile, readMark } from "./scene.js";

const NO_PIECES = new Set(["ball", "label", "wall"]); // what is on a board without telling whose seat is whose

/**
 * The piece as a mark without a text: as the scene says, else like the first piece of the seat; if it has none left, like
 * somebody else's; else a disc.
 *
 * @param {Scene|null} scene
 * @param {number} seat
 * @returns {Mark}
 */
export function chip(scene, seat) {
  const named = scene?.chips?.find(([, owner]) => owner === seat);
  const { shape, rows, cols } = readMark(named ?? found(scene, seat) ?? ["disc", seat, 0, 0, 1, 1, ""]);
  return { shape, seat, row: 0, col: 0, rows, cols, text: "" };
}

/**
 * @param {Scene|null} scene
 * @param {number} seat
 */
function found(scene, seat) {
  const marks = scene?.marks ?? [];
  const isPiece = (/** @type {Scene["marks"][number]} */ mark) => mark[1] !== null && !NO_PIECES.has(mark[0]) && !isTile(readMark(mark));
  return marks.find((mark) => mark[1] === seat && isPiece(mark)) ?? marks.find(isPiece);
}
