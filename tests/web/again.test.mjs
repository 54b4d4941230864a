/** Another game where the table was forgotten: the same is asked for once more. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { anew } from "../../server/palio_server/web/lib/again.js";

const REQUEST = { game: "chexers", opponents: [{ house: "a" }, { house: "b" }], tc: "60" };

test("the same game, in the same seat, or the one before it", () => {
  assert.deepEqual(anew({ table: { seat: 1 }, request: REQUEST }, {}), { ...REQUEST, seat: 1 });
  assert.equal(anew({ table: { seat: 0 }, request: REQUEST }, { swap: true }).seat, 2);
  assert.equal(anew({ table: { seat: 2 }, request: REQUEST }, { state: "s" }).state, "s");
});

test("who came by a link has nothing to ask for", () => {
  assert.equal(anew({ table: { seat: 1 }, request: null }, {}), null);
});
