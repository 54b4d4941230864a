/** A tour is a closed line through cells; what has changed in it is found whichever way round it goes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowds, describe, ground } from "../../server/palio_server/web/lib/scene.js";
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

const disc = (n, text = "") => ["disc", null, n % 40, Math.floor(n / 40), 1, 1, text];
const board = (marks, more = {}) => ({ rows: 40, cols: 40, board: "plain", marks, ...more });

test("many discs become one path of dots, few or named ones stay marks of their own", () => {
  const many = crowds(board([...Array.from({ length: 2000 }, (_, n) => disc(n)), disc(7, "7")]));
  assert.deepEqual([many.dots.length, lines(many.dots[0].path), many.single.length], [1, 2000, 1]);
  assert.equal(crowds(board(Array.from({ length: 40 }, (_, n) => disc(n)))).single.length, 40);
});

test("a fine plain board has no lines between its cells", () => {
  assert.equal(ground(board([])).light, "M0 0h4000v4000h-4000z");
  assert.equal(lines(ground(board([], { rows: 16, cols: 16 })).light), 256);
});

test("a tour is part of what is said of a board", () => {
  assert.equal(describe(board([disc(0)], { path: SQUARE }), []), "board of 40 by 40; nobody: 1 disc; a closed line through 4 cells");
});
