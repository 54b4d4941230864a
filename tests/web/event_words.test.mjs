/** Events in words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { about, figure, progressWords, roundWords, ruleFacts, signed, speed, tieBreak } from "../../server/palio_server/web/lib/event_words.js";
import { timeOf } from "../../server/palio_server/web/lib/event_time.js";

test("times left are rough, speeds have a unit that fits", () => {
  assert.deepEqual([10, 100, 780, 3599, 7800].map(about), ["less than a minute", "about 2 min", "about 13 min", "about 1 h", "about 2 h 10 min"]);
  assert.equal(speed(3.14), "3.1 games/s");
  assert.equal(speed(0.05), "3.0 games/min");
});

test("progress never says that more is finished than there is", () => {
  assert.equal(progressWords({ total: 56, finished: 33, running: 7, aborted: 0 }), "33 of 56 games finished, 7 being played");
  assert.equal(progressWords({ total: 0, finished: 5, running: 0, aborted: 1 }), "5 games finished, 1 broken off");
  assert.equal(roundWords({ round: 0, rounds: 7 }), "7 rounds");
  assert.equal(roundWords({ round: 3, rounds: null }), "round 3");
});

test("signs are real ones, and nothing is minus nothing", () => {
  assert.deepEqual([signed(7.66, 1), signed(-2.944, 2), signed(-0.001, 1)], ["+7.7", "−2.94", "0.0"]);
});

test("tie-breaks have short names, however they are written, and figures with halves", () => {
  assert.equal(tieBreak("buchholz-cut-1"), "Buchh. −1");
  assert.equal(tieBreak("my_own"), "My own");
  assert.deepEqual([12, 12.5, 0.5, 7.25].map(figure), ["12", "12½", "½", "7.25"]);
});

test("every rule that is set is told, known or not; the others are left out", () => {
  const facts = ruleFacts({ rounds: null, games_per_encounter: 2, scoring: "encounters", third_place: true, best_of: 3, sprt: { elo0: 0 }, tie_breaks: [] });
  assert.deepEqual(facts, [
    ["An encounter", "2 games"],
    ["What counts", "an encounter as a whole: won, level or lost"],
    ["Third place", "yes"],
    ["Best of", "3 encounters"],
    ["Sprt", "elo0 0"],
  ]);
});

test("settings that say nothing are left out, and programs are told by the names that they play under", () => {
  assert.deepEqual(ruleFacts({ adjudication: { draw: null, resign: null }, bots: [["random", "random"], ["ab", "alpha_beta:depth=1"]] }), [
    ["What plays", "random, ab is alpha_beta:depth=1"],
  ]);
});

test("openings are told in words, a book by its name and length, never line by line", () => {
  const told = (openings) => ruleFacts({ openings })[0]?.[1];
  assert.equal(told({ shipped: true }), "the game's own book");
  assert.equal(told({ random: 1 }), "1 random ply");
  assert.equal(told({ file: "mine", lines: ["a", "b"], order: "random", plies: 4 }), "the book mine, 2 lines, in random order, 4 plies of each");
  assert.deepEqual(ruleFacts({ openings: {}, more: {} }), []);
});

test("the time is read however the settings keep it", () => {
  assert.equal(timeOf({ time: "10+0.1" }), "10+0.1");
  assert.equal(timeOf({ time: "0.5/move" }), "0.5 s a move");
  assert.equal(timeOf({ time: "inf" }), "no limit");
  assert.equal(timeOf({ time: { base_ms: 10_000, increment_ms: 100 } }), "10+0.1");
  assert.equal(timeOf({ tc: "5+0", st: 2 }), "5+0, 2 s a move");
  assert.equal(timeOf({}), "");
});
