/** The page's address says what it shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { route as routeAmong, to } from "../../server/palio_server/web/lib/router.js";

const route = (hash) => routeAmong(hash, new Set(["match", "leaderboard"]));


test("addresses lead there and back, whatever they are made of", () => {
  for (const id of ["m-1", "a b", "ä/ö", "100%"]) assert.deepEqual(route(to("match", id)), { view: "match", id });
  assert.deepEqual(route(""), { view: "lobby", id: "" });
  assert.deepEqual(route("#/nowhere/at/all"), { view: "lost", id: "nowhere/at/all" });
  assert.deepEqual(route("#/match/%"), { view: "match", id: "%" });
  assert.deepEqual(route("#/tournament/1"), { view: "lost", id: "tournament/1" });
});
