/** Lines of equal merit share their places, as the server's text tables have it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ratingMerit, sharedPlaces } from "../../server/palio_server/web/lib/shared_places.js";

test("equal lines one below the other share all their places", () => {
  assert.deepEqual(sharedPlaces([]), []);
  assert.deepEqual(sharedPlaces([1, 2, 3]), ["1", "2", "3"]);
  assert.deepEqual(sharedPlaces([1, 2, 2, 4]), ["1", "2–3", "2–3", "4"]);
  assert.deepEqual(sharedPlaces([1, 1, 3, 3]), ["1–2", "1–2", "3–4", "3–4"]);
  assert.deepEqual(sharedPlaces([1, ...Array(9).fill(2)]).at(-1), "2–10");
});

test("ratings are equal if they differ in the last digits of the computation only, and who is provisional has no place", () => {
  const leaders = [[1600, false], [1500.00001, false], [1500, false], [1500, true]].map(([rating, provisional]) => ({ rating, provisional }));
  assert.deepEqual(sharedPlaces(leaders.map(ratingMerit)), ["1", "2–3", "2–3", "–"]);
});
