/** Who stands above a board of the hall's screen, and who below: whoever moves up the board is at its lower end. */

/** @import { Scene, Summary } from "../types/wire.js" */

/**
 * The seats from above to below. Where a board has no ends the second seat is above, as books print a game.
 *
 * @param {Summary} summary
 * @returns {number[]}
 */
export function fromAbove({ seats, view }) {
  const order = seats.map((_, seat) => seat);
  if (order.length !== 2) return order;
  return goesUp(view.scene ?? null) === 1 ? order : order.reverse();
}

/**
 * The seat whose goal is the uppermost row; null if the board does not say.
 *
 * @param {Scene|null} scene
 */
function goesUp(scene) {
  const upper = (scene?.edges ?? []).find(([, , cells]) => cells.length > 0 && cells.every(([row]) => row === 0));
  return upper ? upper[0] : null;
}
