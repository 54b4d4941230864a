import assert from "node:assert/strict";
import test from "node:test";

import { curves, expected, marked, provenStretches, whyMarked } from "../../server/palio_server/web/lib/analysis.js";

const judged = (ply, verdicts, values = verdicts.map(() => null), more = {}) => ({
  ply, seat: 0, move: "", values, verdicts, distance: null, best: "", mark: null, ...more,
});

test("an evaluation is a share of points, even at 0 and never quite all of it", () => {
  assert.equal(expected(0), 0.5);
  assert.equal(expected(2), 0.75);
  assert.equal(expected(-2), 0.25);
  assert.ok(expected(1e6) < 1);
});

test("a duel has one curve, of the first seat: proven results at their very height", () => {
  const plies = [
    judged(0, [null, null], [2, -2]), judged(1, ["win", "loss"]), judged(2, ["draw", "draw"]), judged(3, ["loss", "win"]),
    judged(4, [null, null]),
  ];
  const [only, ...others] = curves(plies, 2, false);
  assert.deepEqual(others, []);
  assert.deepEqual(only.points.map(({ at }) => at), [0.75, 1, 0.5, 0]);
  assert.deepEqual(only.points.map(({ sure }) => sure), [false, true, true, true]);
});

test("a table has a curve for each seat", () => {
  const plies = [judged(0, [null, null, null], [0, 2, -2]), judged(1, ["win", "loss", "loss"])];
  assert.deepEqual(curves(plies, 3, false).map(({ points }) => points.map(({ at }) => at)), [[0.5, 1], [0.75, 0], [0.25, 0]]);
});

test("in a race each entrant has the moves that remained, from the common start", () => {
  const plies = [
    judged(0, ["win"], [3], { distance: 3 }), judged(1, ["win"], [3], { distance: 2 }),
    judged(2, ["win"], [4], { seat: 1, distance: 3 }), judged(3, [null], [null], { seat: 1 }),
  ];
  const found = curves(plies, 3, true);
  assert.deepEqual(found.map(({ seat }) => seat), [0, 1]); // the third never moved
  assert.deepEqual(found.map(({ points }) => points.map(({ ply, at }) => [ply, at])), [[[0, 3], [1, 2]], [[0, 3], [2, 3]]]);
});

test("proven stretches are as long as one side has the win", () => {
  const plies = [
    judged(0, [null, null], [0, 0]), judged(1, ["win", "loss"]), judged(2, ["win", "loss"]), judged(3, ["draw", "draw"]),
    judged(4, ["loss", "win"]), judged(6, ["loss", "win"]),
  ];
  assert.deepEqual(provenStretches(plies), [
    { first: 1, last: 2, seat: 0 }, { first: 3, last: 3, seat: null }, { first: 4, last: 4, seat: 1 }, { first: 6, last: 6, seat: 1 },
  ]);
});

test("marks are found by ply, and none where there is no analysis", () => {
  const plies = [judged(0, [null, null]), judged(1, ["loss", "win"], [null, null], { mark: "??" })];
  assert.deepEqual([...marked({ plies }).keys()], [1]);
  assert.equal(marked(null).size, 0);
});

test("a mark says what was given away, and what was better", () => {
  assert.equal(whyMarked(judged(1, ["loss", "win"], [null, null], { mark: "??", best: "a1" })), "loses by force; a1 was better");
  assert.equal(whyMarked(judged(1, ["draw", "draw"], [null, null], { mark: "??" })), "gives a win away for a draw");
  assert.equal(whyMarked(judged(1, [null, null], [1, -1], { mark: "?", best: "a1" })), "loses much; a1 was better");
  assert.equal(whyMarked(judged(1, ["win"], [9], { mark: "?" }), true), "wastes a move");
  assert.equal(whyMarked(judged(1, ["loss"], [null], { mark: "??" }), true), "cannot be solved any more");
});
