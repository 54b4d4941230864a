/** The gap to the optimum is told as far as it is known. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gap } from "../../server/palio_server/web/lib/gap.js";

test("a gap is a share of the optimum", () => {
  assert.equal(gap(1018, 1000), "1.8 % above the optimum");
  assert.equal(gap(100001, 100000), "less than 0.1 % above the optimum");
});

test("without a proof, or without a solution, nothing is claimed", () => {
  assert.equal(gap(1018, null), "optimum unknown");
  assert.equal(gap(1018, undefined), "optimum unknown");
  assert.equal(gap(null, 1000), "");
  assert.equal(gap(1000, 1000), "proven optimal");
  assert.equal(gap(3, 0), "optimum 0");
});
