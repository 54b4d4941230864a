/** The worth of the first move is told only where it is known. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstMoveWorth } from "../../server/palio_server/web/lib/first_move.js";

test("the worth of the first move stands with its error", () => {
  assert.equal(firstMoveWorth({ elo: 34.6, error: 20.2, games: 900 }), "To move first is worth +35 ± 20 Elo.");
  assert.equal(firstMoveWorth({ elo: -34.6, error: 200, games: 30 }), "To move first is worth −35 ± 200 Elo.");
});

test("it is not told without games, or while its error is wider than 200 Elo", () => {
  assert.equal(firstMoveWorth(null), "");
  assert.equal(firstMoveWorth({ elo: 0, error: 1183, games: 2 }), "");
});
