/** The keys that all views have. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isWriting, LETTERS, Shortcuts } from "../../server/palio_server/web/lib/shortcuts.js";

test("a slash searches, g and then a letter goes to a view", () => {
  const keys = new Shortcuts();
  assert.deepEqual(keys.press("/", 0), { search: true });
  for (const [letter, view] of Object.entries(LETTERS)) {
    assert.deepEqual(keys.press("g", 10), { waits: true });
    assert.deepEqual(keys.press(letter, 20), { go: view });
  }
});

test("a letter alone, one that comes late, and one that names no view mean nothing", () => {
  const keys = new Shortcuts();
  assert.equal(keys.press("b", 0), null);
  keys.press("g", 0);
  assert.equal(keys.press("b", 5000), null);
  keys.press("g", 6000);
  assert.equal(keys.press("x", 6010), null);
  assert.equal(keys.press("b", 6020), null);
  keys.press("g", 7000);
  assert.equal(keys.press("toString", 7010), null);
});

test("keys are off where something is written, not on other controls", () => {
  assert.ok(isWriting({ tagName: "INPUT", type: "search" }) && isWriting({ tagName: "TEXTAREA" }) && isWriting({ tagName: "SELECT" }));
  assert.ok(!isWriting({ tagName: "INPUT", type: "range" }) && !isWriting({ tagName: "BUTTON" }) && !isWriting(null));
});
