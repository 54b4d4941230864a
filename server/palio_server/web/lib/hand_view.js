/** How what lies over a board fits it: the board's shape, the pointer's place in its picture. */

/** @import { PositionItem, Scene, View } from "../types/wire.js" */

import { frame } from "./scene.js";

/**
 * Where the pointer is, in the picture's units.
 *
 * @param {Scene} scene
 * @param {PointerEvent & {currentTarget: HTMLElement}} event
 * @param {boolean} [flipped]
 */
export function inPicture(scene, event, flipped = false) {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  const box = frame(scene);
  const scale = box.width / width;
  const [across, down] = [event.clientX - left, event.clientY - top];
  const [x, y] = flipped ? [width - across, height - down] : [across, down];
  return { x: Math.round(box.x + x * scale), y: Math.round(box.y + y * scale) };
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
