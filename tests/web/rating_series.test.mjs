import assert from "node:assert/strict";
import test from "node:test";

import { changes, labels, range, series, shortBuild, within } from "../../server/palio_server/web/lib/rating_series.js";

const DAY = 86_400_000;
const point = (day, rating = 1500, error = 50) => ({ at: new Date(day * DAY).toISOString(), rating, error, provisional: false });
const points = [point(1), point(60), point(95), point(100)];

test("a span begins at the last point before it, so that the line reaches the edge", () => {
  assert.deepEqual(within(points, 30, 100 * DAY), points.slice(1));
  assert.deepEqual(within(points, 0, 100 * DAY), points);
  assert.deepEqual(within(points, 30, 500 * DAY), points.slice(-1));
});

test("columns of numbers with the band", () => {
  assert.deepEqual(series([point(1, 1600, 20)]), { times: [86_400], ratings: [1600], lows: [1580], highs: [1620] });
});

test("another program is marked where the line is", () => {
  const build = (day, name) => ({ build: `${name}, palio 1.0.0`, since: new Date(day * DAY).toISOString() });
  assert.deepEqual(changes([build(1, "old"), build(61, "new"), build(101, "newest")], points), [{ at: 61 * 86_400, words: "new" }]);
  assert.deepEqual(changes([build(1, "old")], []), []);
  assert.equal(shortBuild("mine.py:depth=3 1f0c88ab, palio 1.0.0"), "mine.py:depth=3 1f0c88ab");
  assert.equal(shortBuild("x".repeat(50)).length, 24);
});

test("a point that nobody knows anything of does not press the line flat", () => {
  const [low, high] = range(series([point(1, 1500, 1960), point(2, 1540, 40)]));
  assert.ok(low > 1400 && high < 1640);
  assert.deepEqual(range(series([point(1, 1500, 10), point(2, 1510, 10)])), [1490, 1520]);
});

test("no two labels below the chart are the same", () => {
  const half = (count) => new Date(new Date().getFullYear(), 10, 28, 9, 29).getTime() / 1000 + 30 * count;
  assert.deepEqual(labels([0, 1, 2, 3, 4, 5].map(half)), ["28 Nov", "", "09:30", "", "09:31", ""]);
  assert.equal(new Set(labels([0, 1, 2].map((count) => half(2880 * count)))).size, 3);
});
