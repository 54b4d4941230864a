import assert from "node:assert/strict";
import test from "node:test";

import { filtersOf, isFiltered, pathOf } from "../../server/palio_server/web/lib/result_filters.js";

const read = (text) => filtersOf(new URLSearchParams(text));

test("the address is the question", () => {
  assert.equal(pathOf(read("bot=ann&outcome=won&strange=1&q= siena "), 51), "matches?status=finished&limit=51&q=siena&bot=ann&outcome=won");
  assert.equal(pathOf(read(""), 51), "matches?status=finished&limit=51");
});

test("what is a bot's alone is not asked without a bot", () => {
  assert.equal(pathOf(read("outcome=won&seat=1"), 9), "matches?status=finished&limit=9");
});

test("whether there is any filter", () => {
  assert.equal(isFiltered(read("")), false);
  assert.equal(isFiltered(read("before=1abc")), true);
});
