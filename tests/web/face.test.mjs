/** A name decides a banner, and names that are much alike do not get the same one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DIVISIONS, FIELDS, face } from "../../server/palio_server/web/lib/face.js";

test("a name has the same banner everywhere", () => {
  assert.deepEqual(face("Torre"), face("Torre"));
});

test("bots that are numbered look different", () => {
  const faces = Array.from({ length: 10 }, (_, number) => JSON.stringify(face(`alpha-${number}`)));
  assert.ok(new Set(faces).size >= 9, "of ten names at most two share a banner");
});

test("all colours and divisions are used, and none covers itself", () => {
  const all = Array.from({ length: 2000 }, (_, number) => face(`bot ${number}`));
  assert.deepEqual(new Set(all.map(({ field }) => field)), new Set(FIELDS));
  assert.deepEqual(new Set(all.map(({ division }) => division)), new Set(DIVISIONS));
  assert.ok(all.every(({ field, charge }) => field !== charge));
});

test("an empty name and one beyond ASCII have a banner, too", () => {
  for (const name of ["", "Ölçü 🐢"]) assert.ok(FIELDS.includes(face(name).field));
});
