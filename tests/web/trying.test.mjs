/** Moves that are tried: forwards, back, on again, and what the values mean. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstsShare, from, lookAt, tried, worth } from "../../server/palio_server/web/lib/trying.js";

const at = (state, mover = 0, over = null) => ({ state, to_move: mover, over });
const states = ({ positions }) => positions.map(({ state }) => state);

test("a move in an earlier position forgets what was tried after it", () => {
  let trying = tried(tried(from(at("a")), at("b"), "a-b"), at("c"), "b-c");
  assert.deepEqual([states(trying), trying.notations, trying.at], [["a", "b", "c"], ["a-b", "b-c"], 2]);
  trying = tried(lookAt(trying, 1), at("d"), "b-d");
  assert.deepEqual([states(trying), trying.notations, trying.at], [["a", "b", "d"], ["a-b", "b-d"], 2]);
});

test("nobody looks before the first position or behind the last one", () => {
  const trying = tried(from(at("a")), at("b"), "a-b");
  assert.equal(lookAt(trying, 9), trying);
  assert.equal(lookAt(trying, -3).at, 0);
});

test("the first seat's share is seen from its own side, whoever is to move", () => {
  const hint = (value) => ({ best: [{ value }] });
  assert.equal(firstsShare(hint(2), at("a", 0)), 0.75);
  assert.equal(firstsShare(hint(2), at("a", 1)), 0.25);
  assert.equal(firstsShare(hint(1000), at("a", 1)), 0);
  assert.equal(firstsShare(hint(-1000), at("a", 1)), 1);
  assert.equal(firstsShare(null, at("a")), null);
  assert.equal(firstsShare({ best: [] }, at("a")), null);
  assert.equal(firstsShare(null, at("a", null, { scores: [1, 0] })), 1);
});

test("a value in words", () => {
  assert.deepEqual([1000, -1000, 0, 0.004, 1.5, -2].map(worth), ["wins", "loses", "even", "even", "+1.50", "−2.00"]);
});
