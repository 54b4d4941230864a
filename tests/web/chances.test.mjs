/** Each bot's view of its chances: a line a seat, on one scale where their units allow it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { across, chances, height, pathOf, toldAt } from "../../server/palio_server/web/lib/chances.js";

const line = (ply, seat, score) => ({ ply, seat, info: score === null ? null : { score } });

test("a seat that tells nothing has no line", () => {
  const { curves } = chances([line(1, 0, 1), line(2, 1, null), line(3, 0, 2)], 2);
  assert.deepEqual(curves.map(({ seat, told }) => [seat, told.length]), [[0, 2]]);
  assert.deepEqual(chances([], 2), { curves: [], limit: null });
});

test("a won game's huge number does not press the rest flat", () => {
  const lines = Array.from({ length: 20 }, (_, i) => line(i + 1, i % 2, i < 18 ? 3 : 100_000));
  assert.equal(chances(lines, 2).limit, 5);
  assert.equal(height(100_000, 5), 0);
});

test("bots of different units have a scale each", () => {
  const { curves, limit } = chances([line(1, 0, 0.5), line(2, 1, 140), line(3, 0, -0.9), line(4, 1, -180)], 2);
  assert.equal(limit, null);
  assert.deepEqual(curves.map((curve) => curve.limit), [1, 200]);
});

test("heights and widths are shares", () => {
  assert.deepEqual([height(0, 8), height(8, 8), height(-8, 8), height(4, 8)], [0.5, 0, 1, 0.25]);
  assert.deepEqual([across(0, 10), across(5, 10), across(12, 10), across(3, 0)], [0, 50, 100, 0]);
  assert.equal(pathOf({ told: [{ ply: 0, score: 0 }, { ply: 10, score: 8 }], limit: 8 }, 10), "M0 50L100 0");
  assert.equal(pathOf({ told: [{ ply: 5, score: 0 }], limit: 8 }, 10), "M50 50h0.01");
});

test("what was told last counts until something else is told", () => {
  const told = [{ ply: 2, score: 1 }, { ply: 4, score: 3 }];
  assert.equal(toldAt(told, 1), null);
  assert.equal(toldAt(told, 3).score, 1);
  assert.equal(toldAt(told, 9).score, 3);
});
