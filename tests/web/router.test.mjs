/** The page's address says what it shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, fromHash, route as routeAmong, to } from "../../server/palio_server/web/lib/router.js";
import { ROUTES } from "../../server/palio_server/web/lib/routes.js";

const route = (path) => routeAmong(path, ROUTES);

test("addresses lead there and back, whatever they are made of", () => {
  for (const id of ["m-1", "a b", "ä/ö", "100%", "new?"]) assert.deepEqual(route(to("match", id)), { view: "match", id, rest: [] });
  assert.deepEqual(route(""), { view: "lobby", id: "", rest: [] });
  assert.deepEqual(route("nowhere/at/all"), { view: "lost", id: "nowhere/at/all", rest: [] });
  assert.deepEqual(route("match/%"), { view: "match", id: "%", rest: [] });
});

test("a view has as many words as it takes, and parts with addresses of their own", () => {
  assert.equal(route(to("tournaments")).view, "tournaments");
  assert.equal(route(to("tournaments", "new")).view, "new-tournament");
  assert.deepEqual(route(to("tournaments", 7, "rounds", 3)), { view: "tournament", id: "7", rest: ["rounds", "3"] });
  for (const path of ["match", "match/a/b", "games/a/b", "tournaments/1/rounds/3/4"]) assert.equal(route(path).view, "lost");
});

test("what is empty stays out of a query", () => {
  assert.equal(asking("results", { game: "tsp", bot: "", ended: null, page: 2, pinned: false }), "results?game=tsp&page=2");
  assert.equal(asking("results", {}), "results");
});

test("addresses that were hashes still lead there", () => {
  assert.equal(fromHash("#/"), "./");
  assert.equal(fromHash("#/match/m-1"), "match/m-1");
  assert.equal(fromHash("#/leaderboard/chexers"), "games/chexers");
  assert.equal(fromHash("#/tournament/7/rounds/3"), "tournaments/7/rounds/3");
  assert.equal(fromHash("#/tournaments/new"), "tournaments/new");
  assert.equal(fromHash("#main"), null);
});
