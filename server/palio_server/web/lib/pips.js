/** What is counted of a seat: how many of its sockets are filled, and the count in words. */

/** @import { Scene } from "../types/wire.js" */

/**
 * @param {Scene|null} scene
 * @param {number} seat
 */
export function pips(scene, seat) {
  const edge = scene?.edges?.find(([owner]) => owner === seat);
  const [of, filled] = edge ? [edge[3], edge[4]] : [0, 0];
  return { of, filled, words: scene?.tallies?.[seat] ?? "" };
}
