/** Above and below a board of the hall's screen. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromAbove } from "../../server/palio_server/web/lib/wall_order.js";

const summary = (seats, edges) => ({ seats: Array.from({ length: seats }, () => ({})), view: { scene: edges && { edges } } });
const goals = (upper, lower) => [[lower, [1], [[5, 0], [5, 1]], 0], [upper, [3], [[0, 0], [0, 1]], 0]];

test("whoever moves up the board is below it", () => {
  assert.deepEqual(fromAbove(summary(2, goals(0, 1))), [1, 0]);
  assert.deepEqual(fromAbove(summary(2, goals(1, 0))), [0, 1]);
});

test("without goals the second seat is above, and three stand in their order", () => {
  assert.deepEqual(fromAbove(summary(2, [])), [1, 0]);
  assert.deepEqual(fromAbove(summary(2, null)), [1, 0]);
  assert.deepEqual(fromAbove(summary(3, goals(0, 1))), [0, 1, 2]);
  assert.deepEqual(fromAbove(summary(1, null)), [0]);
});
