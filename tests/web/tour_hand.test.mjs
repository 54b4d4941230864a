/** Tours by hand: built city by city, made shorter by taking a city or a step elsewhere. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, cities, cityAt, complete, exchange, insert, length, ordered, stepAt, steps, toward, visit } from "../../server/palio_server/web/lib/tour_hand.js";

const disc = (row, col) => ["disc", null, row, col];
const SCENE = { board: "plain", rows: 3, cols: 3, marks: [disc(0, 0), disc(0, 2), disc(2, 2), disc(2, 0), disc(0, 1)], path: [[0, 0], [0, 1], [0, 2], [2, 2], [2, 0]] };
const POINTS = cities(SCENE);

test("a city that is touched comes next, the last one is taken back", () => {
  assert.deepEqual(visit(visit([], 3), 1), [3, 1]);
  assert.deepEqual(visit([3, 1], 1), [3]);
  assert.deepEqual(visit([3, 1], 3), [3, 1]);
});

test("a way is closed when all cities are in it", () => {
  assert.deepEqual(steps([0, 1], 5), [[0, 1]]);
  assert.equal(steps([0, 1, 2, 3, 4], 5).length, 5);
  assert.equal(length([0, 4, 1, 2, 3], POINTS), 800);
});

test("a city moves into a step, and never out of its own", () => {
  assert.deepEqual(insert([0, 1, 2, 3, 4], 4, 0), [0, 4, 1, 2, 3]);
  assert.deepEqual(insert([0, 1, 2, 3, 4], 0, 0), [0, 1, 2, 3, 4]);
  assert.deepEqual(insert([4, 0, 1, 2, 3], 4, 1), [0, 4, 1, 2, 3]);
  assert.deepEqual(insert([0, 1, 2, 3, 4], 1, 4), [0, 2, 3, 4, 1]); // the step home
});

test("two steps are exchanged for two others", () => {
  assert.deepEqual(exchange([0, 2, 1, 3], 0, 2), [0, 1, 2, 3]);
  assert.deepEqual(exchange([0, 2, 1, 3], 2, 0), [0, 1, 2, 3]);
});

test("a city beside another one takes the shorter side", () => {
  assert.equal(length(beside([0, 1, 2, 3, 4], 4, 1, POINTS), POINTS), 800);
});

test("the rest of a way is the nearest neighbours'", () => {
  assert.deepEqual(complete([0], POINTS), [0, 4, 1, 2, 3]);
  assert.equal(new Set(complete([], POINTS)).size, 5);
});

test("pointers find cities and steps near to them", () => {
  assert.equal(cityAt(POINTS, { x: 60, y: 55 }, 30), 0);
  assert.equal(cityAt(POINTS, { x: 150, y: 150 }, 30), null);
  assert.equal(stepAt([0, 4, 1, 2, 3], POINTS, { x: 240, y: 150 }, 30), 2);
  assert.equal(stepAt([0, 4, 1, 2, 3], POINTS, { x: 150, y: 150 }, 30), null);
});

test("arrows lead to the nearest city in their direction", () => {
  assert.equal(toward(POINTS, 0, "ArrowRight"), 4);
  assert.equal(toward(POINTS, 1, "ArrowDown"), 2);
  assert.equal(toward(POINTS, 0, "ArrowUp"), null);
  assert.equal(toward(POINTS, 0, "x"), null);
});

test("a drawn tour is read back as an order", () => {
  assert.deepEqual(ordered(SCENE), [0, 4, 1, 2, 3]);
  assert.deepEqual(ordered({ ...SCENE, path: [] }), []);
});
