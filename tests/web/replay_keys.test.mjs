/** Keys step, play and flip; in text fields they write, and on a button the space bar presses it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { keyed } from "../../server/palio_server/web/lib/replay_keys.js";

const within = (...names) => ({ closest: (selector) => (selector.split(", ").some((name) => names.includes(name)) ? {} : null) });

test("arrows step, letters do the rest", () => {
  assert.deepEqual(keyed({ key: "ArrowLeft" }, null), { step: "back" });
  assert.deepEqual(keyed({ key: "End" }, within("button")), { step: "live" });
  const commands = { " ": "play", "+": "faster", "-": "slower", f: "flip", c: "copy" };
  for (const [key, command] of Object.entries(commands)) assert.deepEqual(keyed({ key }, null), { command });
  assert.deepEqual(keyed({ key: "+", shiftKey: true }, null), { command: "faster" });
});

test("what belongs to a field, a button or the browser is left to it", () => {
  assert.equal(keyed({ key: "f" }, within("input")), null);
  assert.equal(keyed({ key: "ArrowLeft" }, within("select")), null);
  assert.equal(keyed({ key: " " }, within("button")), null);
  assert.deepEqual(keyed({ key: "f" }, within("button")), { command: "flip" });
  for (const modifier of ["altKey", "ctrlKey", "metaKey", "shiftKey"]) assert.equal(keyed({ key: "c", [modifier]: true }, null), null);
  for (const key of ["x", "toString", "Enter"]) assert.equal(keyed({ key }, null), null);
});
