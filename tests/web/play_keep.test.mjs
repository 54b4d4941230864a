/** A table is kept for a reload, for its own game, and nothing else is taken for one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { forget, keep, kept } from "../../server/palio_server/web/lib/play_keep.js";

function store() {
  const values = new Map();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => values.set(key, value), removeItem: (key) => values.delete(key) };
}

test("what is kept is found again, for its game", () => {
  const own = store();
  assert.equal(kept("tsp", own), null);
  keep({ table: { game: "tsp" }, request: null, made: Array.from({ length: 300 }, (_, at) => ({ state: String(at), move: at })), match: "m" }, own);
  assert.equal(kept("tsp", own).made.length, 200);
  assert.equal(kept("tsp", own).made.at(-1).move, 299);
  assert.equal(kept("chexers", own), null);
  assert.equal(kept(undefined, own).match, "m");
  forget(own);
  assert.equal(kept("tsp", own), null);
});

test("what is not ours is not read", () => {
  const own = store();
  own.setItem("palio-table", "{nonsense");
  assert.equal(kept("tsp", own), null);
  own.setItem("palio-table", "{}");
  assert.equal(kept(undefined, own), null);
});
