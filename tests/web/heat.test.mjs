/** A heat map's colours, and which of many bots it shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, heat } from "../../server/palio_server/web/lib/heat.js";

test("only what is level is without colour, only what is whole has the strongest", () => {
  assert.deepEqual([0, 0.01, 0.49, 0.5, 0.51, 0.99, 1].map(heat), [-4, -3, -1, 0, 1, 3, 4]);
  assert.deepEqual([0.25, 0.75].map(heat), [-2, 2]);
});

const BOTS = Array.from({ length: 20 }, (_, index) => ({ bot: `Bot-${index}` }));
const names = (lines) => lines.map(({ bot }) => bot);

test("without a search the first ones are rows and columns", () => {
  const { rows, cols } = chosen(BOTS, " ", 12);
  assert.deepEqual(rows, BOTS.slice(0, 12));
  assert.deepEqual(cols, rows);
});

test("a search finds rows by any part of the name, and adds them as columns in their places", () => {
  const { rows, cols } = chosen(BOTS, "bot-19", 12);
  assert.deepEqual(names(rows), ["Bot-19"]);
  assert.deepEqual(names(cols), [...names(BOTS.slice(0, 12)), "Bot-19"]);
  assert.deepEqual(chosen(BOTS, "nobody", 12).rows, []);
});
