/** A page of before an upgrade is loaded again, but never in a loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileNames, isNewer, shouldLoadAgain } from "../../server/palio_server/web/lib/fresh.js";

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

const page = (digest, more = "") =>
  `<head><title>a</title><base href="/"><link rel="modulepreload" href="${more}"><link rel="stylesheet" href="${digest}/page.css">${more}<script type="module" src="${digest}/core.js"></script></head>`;

test("scripts and styles with another digest are another page, other words and preloads are not", () => {
  assert.deepEqual(fileNames(page(1)), ["1/page.css", "1/core.js"]);
  assert.equal(isNewer(page(2), page(1)), true);
  assert.equal(isNewer(page(1, "view.js"), page(1)), false);
});

test("what a browser has added to the page of its own says nothing, nor does an answer that is no page", () => {
  assert.equal(isNewer(page(1), page(1, '<link rel="stylesheet" href="own:dark.css"><script src="own:x.js"></script>')), false);
  assert.equal(isNewer("the server restarts", page(1)), false);
});
