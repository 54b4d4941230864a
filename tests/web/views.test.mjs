/** Which views there are, and where they belong. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isBare, ROUTES, sectionOf } from "../../server/palio_server/web/lib/routes.js";
import { VIEWS } from "../../server/palio_server/web/lib/views.js";

test("a view belongs to the part of the menu that its addresses begin with", () => {
  const parts = ["lobby", "match", "tournaments", "new-tournament", "tournament", "game", "lost"].map(sectionOf);
  assert.deepEqual(parts, ["lobby", "lobby", "tournaments", "tournaments", "tournaments", "games", ""]);
});

test("what is shown in frames has the page to itself, most views do not", () => {
  assert.deepEqual([isBare("embed"), isBare("lobby"), isBare("lost")], [true, false, false]);
});

test("every view has a name and an address of its own", () => {
  for (const key of ["view", "pattern"]) assert.equal(new Set(ROUTES.map((each) => each[key])).size, ROUTES.length);
});

test("every address has a module, and every module an address", () => {
  assert.deepEqual(Object.keys(VIEWS), ROUTES.map(({ view }) => view));
});
