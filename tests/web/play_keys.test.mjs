/** The keys of whoever plays; a text field keeps its own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf, isPass } from "../../server/palio_server/web/lib/play_keys.js";

test("letters and digits are acts", () => {
  assert.deepEqual(actOf({ key: "r" }), { does: "random" });
  assert.deepEqual(actOf({ key: "Z" }), { does: "back" });
  assert.deepEqual(actOf({ key: "h" }), { does: "hint" });
  assert.deepEqual(actOf({ key: "q" }), { does: "quit" });
  assert.deepEqual(actOf({ key: "f" }), { does: "flip" });
  assert.deepEqual(actOf({ key: "d" }), { does: "draw" });
  assert.deepEqual(actOf({ key: "4" }), { does: "best", depth: 4 });
  assert.equal(actOf({ key: "0" }), null);
  assert.equal(actOf({ key: "?" }), null, "it lists the keys, as everywhere");
  assert.equal(actOf({ key: "x" }), null);
});

test("modifiers and fields are left alone", () => {
  assert.equal(actOf({ key: "r", ctrlKey: true }), null);
  assert.equal(actOf({ key: "r", metaKey: true }), null);
  assert.equal(actOf({ key: "r", target: { tagName: "INPUT" } }), null);
  assert.equal(actOf({ key: "r", target: { tagName: "DIV", isContentEditable: true } }), null);
  assert.ok(actOf({ key: "r", target: { tagName: "BUTTON" } }));
});

test("p passes once for a press, and not in a field", () => {
  assert.equal(isPass({ key: "p" }), true);
  assert.equal(isPass({ key: "P" }), true);
  assert.equal(isPass({ key: "p", repeat: true }), false);
  assert.equal(isPass({ key: "p", ctrlKey: true }), false);
  assert.equal(isPass({ key: "p", target: { tagName: "INPUT" } }), false);
  assert.equal(isPass({ key: "q" }), false);
});
