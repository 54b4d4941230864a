/** What bots think of their game, as lines and as a balance. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { balance, bent, curves } from "../../server/palio_server/web/lib/opinions.js";

const line = (ply, seat, score) => ({ ply, seat, move: "x", ms: 1, info: score === undefined ? null : { score } });

test("scores of any size lie between -1 and 1, in their order", () => {
  const found = [-999_990, -3, 0, 1, 40, 999_990].map(bent);
  assert.deepEqual(found, [...found].sort((a, b) => a - b));
  assert.ok(found.every((score) => Math.abs(score) < 1) && found[2] === 0);
});

test("a line begins with the first score and ends with the last ply", () => {
  const lines = [line(1, 0), line(2, 1), line(3, 0, 0), line(4, 1, 2), line(5, 0, 2), line(6, 1), line(7, 0, -2)];
  assert.deepEqual(curves(lines, 2), [{ seat: 0, path: "M0 50L50 25L100 75", last: 0.75 }]);
});

test("who tells nothing has no line", () => {
  assert.deepEqual(curves([], 2), []);
  assert.deepEqual(curves([line(1, 0), line(2, 1)], 2), []);
});

test("the balance is the first seat's part, as both think", () => {
  assert.equal(balance([2, -2]), 0.75);
  assert.equal(balance([2, 2]), 0.5, "they disagree");
  assert.equal(balance([null, 2]), 0.25);
  assert.equal(balance([2]), 0.75);
  assert.equal(balance([null, null]), null);
  assert.equal(balance([]), null);
});
