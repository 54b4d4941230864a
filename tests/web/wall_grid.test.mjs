/** Small boards keep their row and column while the grid grows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST, cell, inReadingOrder, size } from "../../server/palio_server/web/lib/wall_grid.js";

test("every place has a cell of its own", () => {
  const cells = Array.from({ length: MOST }, (_, place) => Object.values(cell(place)).join(" "));
  assert.equal(new Set(cells).size, MOST);
});

test("the grid holds who is there, and is as small as that", () => {
  const sized = (count) => Object.values(size(Array.from({ length: count }, () => "card"))).join(" x ");
  assert.deepEqual([0, 1, 2, 3, 4, 6, 7, 9, 10, 12, 16].map(sized), ["0 x 0", "1 x 1", "2 x 1", "2 x 2", "2 x 2", "3 x 2", "3 x 3", "3 x 3", "4 x 3", "4 x 3", "4 x 4"]);
  assert.deepEqual(size([null, null, null, "card", null]), { rows: 2, cols: 2 });
});

test("matches that come together are read row by row", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].sort(inReadingOrder), [0, 2, 6, 1, 3, 4, 5]);
});
