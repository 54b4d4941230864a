/** What a hint says, and a tour at random. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { advised, shuffled } from "../../server/palio_server/web/lib/advice.js";

test("a hint names its move and what there is to say", () => {
  assert.equal(advised(null), "");
  assert.equal(advised({ notation: "e2-d3", text: "4 plies deep nobody is ahead", order: null }), "Palio would play e2-d3: 4 plies deep nobody is ahead.");
  assert.equal(advised({ notation: "pass", text: "", order: null }), "Palio would play pass.");
  assert.equal(advised({ notation: "0 1 2", text: "a tour of 12", order: [0, 1, 2] }), "a tour of 12");
});

test("a random tour has each city once", () => {
  assert.deepEqual(shuffled(9).sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});
