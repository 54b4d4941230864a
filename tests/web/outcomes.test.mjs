import assert from "node:assert/strict";
import test from "node:test";

import { faultsOf, formWords, partsOf, percent, seenBy } from "../../server/palio_server/web/lib/outcomes.js";

test("the parts of the bar come in one order and add up to all", () => {
  const counts = [{ outcome: "crashed", games: 1 }, { outcome: "lost", games: 2 }, { outcome: "won", games: 5 }];
  const parts = partsOf(counts);
  assert.deepEqual(parts.map(({ words, games }) => [words, games]), [["won", 5], ["lost by the rules", 2], ["crashed", 1]]);
  assert.equal(parts.reduce((sum, { share }) => sum + share, 0), 1);
  assert.equal(faultsOf(counts), 1);
  assert.deepEqual(partsOf([]), []);
});

test("what happened is never nothing", () => {
  assert.equal(percent(0.729), "72.9 %");
  assert.equal(percent(1 / 20_000), "< 0.1 %");
  assert.equal(percent(0), "0.0 %");
});

const match = (scores, termination = "rule", reason = "reached-far-row") => ({ bots: ["ann", "bob", "cyd"].slice(0, scores.length), scores, termination, reason });

test("a match as one of its bots sees it", () => {
  assert.deepEqual(seenBy(match([1, 0]), "ann"), { result: "won", fault: false, how: "reached far row" });
  assert.deepEqual(seenBy(match([1, 0], "time", "flag-fell"), "bob"), { result: "lost", fault: true, how: "lost on time" });
  assert.deepEqual(seenBy(match([1, 0], "time", "flag-fell"), "ann"), { result: "won", fault: false, how: "opponent lost on time" });
  assert.equal(seenBy(match([1, 0], "illegal"), "ann").how, "opponent made illegal moves");
  assert.equal(seenBy(match([0.5, 0.5], "adjudicated", "agreement"), "ann").how, "by agreement");
  assert.deepEqual(seenBy(match([0.5, 0.5], "adjudicated", "ply-cap"), "ann"), { result: "drawn", fault: false, how: "adjudicated: the limit of plies was reached" });
  assert.equal(seenBy(match([1, 0, 0], "crashed"), "bob").fault, false); // which of the two, nobody can say
  assert.equal(seenBy(match([1]), "ann").result, "played");
});

test("points are told where the rules tell them, and a fault stays a fault", () => {
  assert.equal(seenBy({ ...match([1, 0], "rule", "score"), detail: "Black wins by 3.5 points" }, "bob").how, "Black wins by 3.5 points");
  assert.equal(seenBy({ ...match([1, 0], "rule", "score"), detail: null }, "bob").how, "score");
});

test("form in words", () => {
  assert.equal(formWords(["won", "won", "time"]), "2 won, 1 lost of the last 3");
  assert.equal(formWords(["won", "drawn", "lost"]), "1 won, 1 drawn, 1 lost of the last 3");
});
