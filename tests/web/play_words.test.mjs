/** What a person is told, from the own seat. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lost, outcome, passes, person, spoken, whose, why } from "../../server/palio_server/web/lib/play_words.js";

const SEATS = [{ name: "black", bot: "greedy" }, { name: "white", bot: "guest-1" }];
const result = (scores, more = {}) => ({ termination: "rule", reason: "reached-far-row", scores, seat: null, detail: "", ...more });

test("who has raced alone reads the cost", () => {
  const own = { termination: "rule", reason: "solved", scores: [1], seat: null, finishes: [{ cost: 8, plies: 8, ms: 1, termination: "rule", reason: "solved" }] };
  assert.equal(why(own, [{ name: "solver", bot: "guest-1" }], 0), "your cost is 8");
});

test("who won is said from the own seat", () => {
  assert.equal(outcome(result([0, 1]), 1, false), "You win");
  assert.equal(outcome(result([1, 0]), 1, false), "You lose");
  assert.equal(outcome(result([0.5, 0.5]), 1, false), "Draw");
  assert.equal(outcome(result([0.5, 0.5, 0]), 1, false), "You share the win");
  assert.equal(outcome(result([0, 0], { reason: "aborted" }), 1, false), "Broken off");
});

test("a race is about the own solution", () => {
  const finish = (cost, termination = "rule") => ({ termination, reason: "solved", cost, detail: "" });
  assert.equal(outcome(result([1], { finishes: [finish(7)] }), 0, true), "Solved");
  assert.equal(outcome(result([0, 1], { finishes: [finish(9), finish(7)] }), 1, true), "You are first");
  assert.equal(outcome(result([1, 0], { finishes: [finish(9), finish(null, "resigned")] }), 1, true), "You gave up");
  assert.equal(outcome(result([1, 0], { finishes: [finish(9), finish(null)] }), 1, true), "Not solved");
});

test("why, with you in it", () => {
  assert.equal(why(result([0, 1]), SEATS, 1), "by rule: reached far row");
  assert.equal(why(result([0.5, 0.5], { termination: "adjudicated", reason: "agreement" }), SEATS, 1), "by agreement");
  assert.equal(why(result([1, 0], { termination: "resigned", reason: "resigned", seat: 1 }), SEATS, 1), "you gave up");
  assert.match(why(result([1, 0], { termination: "time", reason: "flag-fell", seat: 1 }), SEATS, 1), /white \(you\) loses on time/);
});

test("whose turn it is", () => {
  assert.equal(whose(SEATS, 1, 1), "Your turn.");
  assert.equal(whose(SEATS, 0, 1), "Greedy is to move.");
  assert.equal(whose(SEATS, null, 1), "");
});

test("a pass of the others is said until one has moved", () => {
  const lines = [{ seat: 1, move: "C3" }, { seat: 0, move: "pass" }];
  assert.equal(passes(lines, SEATS, 1), "Greedy passed.");
  assert.equal(passes([...lines, { seat: 1, move: "pass" }], SEATS, 1), "");
  assert.equal(passes([{ seat: 0, move: "pass" }, { seat: 2, move: "pass:D4,E5" }], [...SEATS, { name: "blue", bot: "ada" }], 1), "Greedy passed. Ada passed.");
});

test("a clock speaks twice", () => {
  assert.equal(spoken(30_050, 29_950), "30 seconds left");
  assert.equal(spoken(10_100, 9_900), "10 seconds left");
  assert.equal(spoken(29_950, 29_850), "");
  assert.equal(spoken(null, 10), "");
});

test("the house's bots go by their own names", () => {
  assert.equal(person("house-greedy"), "greedy");
  assert.equal(person("house-hill_climbing.2"), "hill climbing");
  assert.equal(person("ada.2"), "ada.2");
});

test("a connection that a limit refuses says the limit, and when it is tried again", () => {
  const refused = "guest-1 has come too often without playing a match; try again in 2 s";
  assert.equal(lost(refused, 1900), "Guest-1 has come too often without playing a match. Trying again in 2 s.");
  assert.equal(lost(refused, -5), "Guest-1 has come too often without playing a match. Trying again.");
  assert.equal(lost("", 1900), "Connection lost, trying again");
});
