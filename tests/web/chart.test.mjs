/** A chart's scales hold all values, its ticks are round, its lines go by steps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { scale, steps, ticks } from "../../server/palio_server/web/lib/chart.js";

test("the least value stands where the scale begins, the greatest where it ends", () => {
  const y = scale([700, 500, 600], 100, 0);
  assert.deepEqual([500, 600, 700].map(y), [100, 50, 0]);
});

test("a margin leaves room beyond the values", () => {
  const y = scale([500, 700], 100, 0, 0.1);
  assert.ok(y(500) < 100 && y(700) > 0);
});

test("one value alone, even zero, has a scale around it", () => {
  for (const value of [0, 42]) assert.equal(scale([value], 100, 0)(value), 50);
});

test("values that differ widely are spread by their ratio", () => {
  const y = scale([10, 100, 1000], 100, 0);
  assert.deepEqual([10, 100, 1000].map(y), [100, 50, 0]);
});

test("ticks are round numbers within the scale", () => {
  assert.deepEqual(ticks(scale([512, 702], 100, 0), 4), [550, 600, 650, 700]);
  assert.deepEqual(ticks(scale([0.1, 0.31], 100, 0), 3), [0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(scale([9, 1100], 100, 0), 8), [10, 20, 50, 100, 200, 500, 1000]);
  const wide = ticks(scale([3, 5e6], 100, 0), 4);
  assert.ok(wide.length >= 3 && wide.length <= 6, wide.join(" "));
});

test("a scale that bends little has ticks, too, in even steps and none over another", () => {
  for (const [least, most] of [[110, 480], [2.1, 9], [30, 130], [0.6, 4.9]]) {
    const found = ticks(scale([least, most], 200, 0), 4);
    assert.ok(found.length >= 2 && found.length <= 5, found.join(" "));
    const places = found.map(scale([least, most], 200, 0));
    assert.ok(places.every((place, index) => index === 0 || places[index - 1] - place >= 12), places.join(" "));
  }
});

test("a line keeps each value until the next one, and the last to the end", () => {
  const same = (value) => value;
  assert.equal(steps([[1, 9], [3, 5]], same, same, 8), "M1 9H3V5H8");
  assert.equal(steps([], same, same, 8), "");
});
