/** A tour is a closed line through cells; what has changed in it is found whichever way round it goes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { closedLine, stepsNotIn } from "../../server/palio_server/web/lib/tour.js";

const SQUARE = [[0, 0], [0, 2], [2, 2], [2, 0]];
const CROSSED = [[0, 0], [2, 2], [0, 2], [2, 0]];
const lines = (path) => (path.match(/M/g) ?? []).length;

test("the line goes through the centres of its cells and comes home", () => {
  assert.equal(closedLine("plain", SQUARE), "M50 50L250 50L250 250L50 250z");
  assert.equal(closedLine("plain", []), "");
  assert.match(closedLine("hex", SQUARE), /^M50 \d+L250 \d+L350 \d+L150 \d+z$/);
});

test("the same tour the other way round has no new step", () => {
  assert.equal(stepsNotIn("plain", SQUARE, [...SQUARE].reverse()), "");
  assert.equal(stepsNotIn("plain", SQUARE, [SQUARE[2], SQUARE[3], SQUARE[0], SQUARE[1]]), "");
});

test("an exchange of two steps changes two", () => {
  assert.equal(lines(stepsNotIn("plain", SQUARE, CROSSED)), 2);
  assert.equal(lines(stepsNotIn("plain", CROSSED, SQUARE)), 2);
});
