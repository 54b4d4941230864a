/** The page's address says what it shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { route as routeAmong, to } from "../../server/palio_server/web/lib/router.js";

const VIEWS = new Map(Object.entries({ match: { least: 1, most: 1 }, tournaments: { least: 0, most: 1 }, tournament: { least: 1, most: 3 } }));
const route = (hash) => routeAmong(hash, VIEWS);

test("addresses lead there and back, whatever they are made of", () => {
  for (const id of ["m-1", "a b", "ä/ö", "100%"]) assert.deepEqual(route(to("match", id)), { view: "match", id, rest: [] });
  assert.deepEqual(route(""), { view: "lobby", id: "", rest: [] });
  assert.deepEqual(route(to("lobby")), { view: "lobby", id: "", rest: [] });
  assert.deepEqual(route("#/nowhere/at/all"), { view: "lost", id: "nowhere/at/all", rest: [] });
  assert.deepEqual(route("#/match/%"), { view: "match", id: "%", rest: [] });
});

test("a view has as many words as it takes, and parts with addresses of their own", () => {
  assert.deepEqual(route(to("tournaments")), { view: "tournaments", id: "", rest: [] });
  assert.deepEqual(route(to("tournament", 7, "rounds", 3)), { view: "tournament", id: "7", rest: ["rounds", "3"] });
  for (const hash of ["#/match", "#/match/a/b", "#/tournament", "#/tournament/1/rounds/3/4"]) assert.equal(route(hash).view, "lost");
});
