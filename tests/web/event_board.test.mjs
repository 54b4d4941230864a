/** Which board of an event is shown large. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOf } from "../../server/palio_server/web/lib/event_board.js";

const card = (match, { told = [], over = false, bots = ["a", "b"] } = {}) => ({
  at: 0,
  summary: { match, game: "dominoes", seats: bots.map((bot) => ({ name: bot, bot })), told, view: { ply: 3 }, result: over ? { scores: [1, 0] } : null },
});
const shownOf = (cards, shown = "", known) => boardOf(cards, shown, known)?.card.summary.match;

test("nothing is shown where nothing is played", () => {
  assert.equal(boardOf([], ""), null);
});

test("the round's top board is shown, and why", () => {
  const places = new Map([["two", { round: 1, board: 1 }]]);
  const found = boardOf([card("one"), card("two")], "", { places, ratings: {} });
  assert.equal(found.card.summary.match, "two");
  assert.equal(found.why, "Shown because it is the round’s top board.");
});

test("a match that is shown stays until it is over, then the next one takes its place", () => {
  const better = card("two", { told: [900_000, null] });
  assert.equal(shownOf([card("one"), better]), "two");
  assert.equal(shownOf([card("one"), better], "one"), "one");
  assert.equal(shownOf([card("one", { over: true }), better], "one"), "two");
  assert.equal(shownOf([card("one", { over: true })], "one"), "one");
  assert.equal(boardOf([card("one", { over: true })], "one").why, "");
});
