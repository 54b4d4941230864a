/** A page of before an upgrade is loaded again, but never in a loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { shouldLoadAgain } from "../../server/palio_server/web/lib/fresh.js";

const storage = () => {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
};

test("once, and again only much later", () => {
  const store = storage();
  assert.equal(shouldLoadAgain(store, 1_000_000), true);
  assert.equal(shouldLoadAgain(store, 1_005_000), false);
  assert.equal(shouldLoadAgain(store, 9_000_000), true);
});

test("never where nothing can be remembered", () => {
  const broken = { getItem: () => { throw new DOMException("no", "SecurityError"); }, setItem: () => {} };
  assert.equal(shouldLoadAgain(broken, 0), false);
});
