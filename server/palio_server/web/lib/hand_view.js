/** How what lies over a board fits it: the board's shape, the pointer's place in its picture. */

/** @import { PositionItem, Scene, View } from "../types/wire.js" */

import { frame } from "./scene.js";

/**
 * Where the pointer is, in the picture's units.
 *
 * @param {Scene} scene
 * @param {PointerEvent & {currentTarget: HTMLElement}} event
 */
export function inPicture(scene, event) {
  const { left, top, width } = event.currentTarget.getBoundingClientRect();
  const box = frame(scene);
  const scale = box.width / width;
  return { x: Math.round(box.x + (event.clientX - left) * scale), y: Math.round(box.y + (event.clientY - top) * scale) };
}

/**
 * The board's own shape, so that what lies over it fits.
 *
 * @param {Scene} scene
 */
export function shape(scene) {
  const { width, height } = frame(scene);
  return { style: { "--ratio": String(Math.round((width / height) * 1000) / 1000) } };
}

/**
 * A position as what is drawn.
 *
 * @param {PositionItem} position
 * @returns {View}
 */
export function asView({ text, scene, to_move }) {
  return { ply: 0, to_move, clocks_ms: [], text, scene, seat: 0, race: null };
}
