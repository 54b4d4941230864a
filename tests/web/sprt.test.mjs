/** The pictures of a sequential test. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, between, graph, judgement } from "../../server/palio_server/web/lib/sprt.js";

const PLOT = { left: 0, right: 100, top: 0, bottom: 50 };
const TEST = { lower: -2, upper: 2, llr: 1, wins: 50, draws: 30, losses: 20, points: [{ games: 40, llr: -1 }, { games: 100, llr: 9 }] };

test("the line goes from nothing to the newest ratio, which is told apart from the points on its way", () => {
  const { path, x, y, last } = graph(TEST, PLOT);
  assert.deepEqual(last, { games: 100, llr: 1 });
  assert.equal(path, `M${x(0)} ${y(0)}L${x(40)} ${y(-1)}L${x(100)} ${y(1)}`);
  assert.equal(x(0), 0);
  assert.equal(x(100), 100);
});

test("both bounds are always in the picture, and a ratio beyond them too", () => {
  for (const llr of [0, -3, 3, 40]) {
    const { y } = graph({ ...TEST, llr }, PLOT);
    for (const value of [TEST.lower, TEST.upper, llr]) assert.ok(y(value) >= PLOT.top && y(value) <= PLOT.bottom, `${value} of ${llr}`);
    assert.ok(y(TEST.upper) < y(0) && y(0) < y(TEST.lower));
  }
});

test("a test without a game is a point", () => {
  assert.match(graph({ ...TEST, wins: 0, draws: 0, losses: 0, llr: 0, points: [] }, PLOT).path, /^M0 [\d.]+$/);
});

test("where the ratio stands is a share of the way between the bounds", () => {
  assert.equal(between({ llr: 0, lower: -2, upper: 2 }), 0.5);
  assert.equal(between({ llr: 5, lower: -2, upper: 2 }), 1);
  assert.equal(between({ llr: -5, lower: -2, upper: 2 }), 0);
});

test("the judgement says who is stronger only when the test has ended", () => {
  const names = { first: "new", second: "old", elo0: 0, elo1: 5 };
  assert.deepEqual(judgement({ ...names, state: "H1", llr: 3 }).sentence, "new is stronger than old: 5 Elo fit the results better than 0");
  assert.equal(judgement({ ...names, state: "H0", llr: -3 }).word, "Rejected");
  assert.equal(judgement({ ...names, state: "H0", llr: -3 }).sentence, "new is not 5 Elo stronger than old: 0 fit the results better");
  assert.equal(judgement({ ...names, state: "continue", llr: -1 }).sentence, "leaning to no, it is not");
  assert.equal(judgement({ ...names, state: "continue", llr: 0.01 }).sentence, "leaning to neither side");
});

test("the tallest bar is as high as it may be, and nothing is divided by nothing", () => {
  assert.deepEqual(bars([1, 4, 2], 100).map(({ height }) => height), [25, 100, 50]);
  assert.deepEqual(bars([0, 0], 100).map(({ height }) => height), [0, 0]);
});
