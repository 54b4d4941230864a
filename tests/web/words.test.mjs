/** Every way in which a match can end reads as a sentence that says who and why. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as codes from "../../server/palio_server/web/lib/codes.js";
import * as words from "../../server/palio_server/web/lib/words.js";

const seats = [{ name: "black", bot: "ada" }, { name: "white", bot: "grace" }];
const ended = (termination, reason, scores, seat = null) => words.resultSentence({ termination, reason, scores, seat }, seats);

test("each kind of termination has words of its own", () => {
  assert.equal(ended("rule", "reached-far-row", [0, 1]), "grace wins, by rule: reached far row");
  assert.equal(ended("rule", "repetition", [0.5, 0.5]), "Draw, by rule: repetition");
  assert.equal(ended("time", "flag-fell", [0, 1], 0), "grace wins, black (ada) loses on time: the flag fell");
  assert.equal(ended("resigned", "resigned", [0, 1], 0), "grace wins, black (ada) resigns");
  assert.equal(ended("adjudicated", "ply-cap", [0.5, 0.5]), "Draw, adjudicated: the limit of plies was reached");
  const sentences = ["illegal", "time", "disconnected", "crashed", "stalled", "resigned"].map((t) => ended(t, "x", [0, 1], 0));
  assert.equal(new Set(sentences).size, 6);
});

test("a list says the points instead of the rule's word", () => {
  assert.equal(codes.ended("rule", "score", "Black wins by 3.5 points"), "Black wins by 3.5 points");
  assert.equal(codes.ended("rule", "score", null), "score");
  assert.equal(codes.ended("time", "flag-fell", undefined), "time: the flag fell");
});

test("what a result of faults or of a table has beside it is no sentence of the rules", () => {
  const result = { termination: "rule", reason: "score", scores: [1, 0], seat: null, detail: "Black wins by 3.5 points" };
  assert.equal(words.ruleDetail(result), "Black wins by 3.5 points");
  assert.equal(words.ruleDetail({ ...result, termination: "crashed", detail: "KeyError" }), "");
  assert.equal(words.ruleDetail({ ...result, scores: [1, 0, 0] }), "");
  assert.equal(words.ruleDetail({ ...result, finishes: [] }), "");
});

test("points are told where the rules of a duel tell them", () => {
  const result = { termination: "rule", reason: "score", scores: [1, 0], seat: null, detail: "Black wins by 3.5 points" };
  assert.equal(words.resultSentence(result, seats), "ada wins, Black wins by 3.5 points");
  const three = [...seats, { name: "blue", bot: "sofia" }];
  assert.equal(words.resultSentence({ ...result, scores: [1, 0, 0], detail: "blue: Traceback" }, three), "ada wins, by rule: score");
});

test("a termination that this page does not know is still shown", () => {
  assert.equal(ended("struck-by-lightning", "bad-luck", [0, 1], 0), "grace wins, black (ada) struck by lightning: bad luck");
});

test("a match that was broken off has no winner", () => {
  const result = { termination: "adjudicated", reason: "aborted", scores: [0, 0], detail: "the server stops" };
  assert.equal(words.resultSentence(result, seats), "Broken off, the server stops");
});

test("three-handed games and races have their own winners", () => {
  const three = [...seats, { name: "blue", bot: "sofia" }];
  const result = (scores) => ({ termination: "rule", reason: "x", scores });
  assert.equal(words.verdict(result([0, 0, 1]), three), "sofia wins");
  assert.equal(words.verdict(result([0.5, 0, 0.5]), three), "ada and sofia share the win");
  assert.equal(words.verdict({ ...result([1]), reason: "solved" }, [{ name: "solver", bot: "ada" }]), "Solved");
});

test("points and scores are written with halves and thirds", () => {
  assert.deepEqual([0, 0.5, 1, 7.5, 1 / 3, 2 + 2 / 3, 1 / 6, 1 / 3 + 1 / 2, 0.4].map(words.points), ["0", "½", "1", "7½", "⅓", "2⅔", "⅙", "⅚", "0.40"]);
  assert.equal(words.score([1, 0]), "1 – 0");
});

test("counts and times are short", () => {
  assert.deepEqual([950, 12_345, 4_500_000].map(words.short), ["950", "12.3k", "4.5M"]);
  assert.equal(words.ago("2025-01-01T00:00:00Z", Date.parse("2025-01-01T00:07:30Z")), "7 min ago");
  const noon = new Date(2025, 4, 12, 12, 0).getTime();
  const at = (...day) => words.ago(new Date(...day).toISOString(), noon);
  assert.deepEqual([at(2025, 4, 12, 9, 5), at(2025, 4, 3, 12, 0), at(2024, 11, 31, 12, 0)], ["09:05", "3 May", "31 Dec 2024"]);
  assert.deepEqual([words.plural(1, "match", "matches"), words.plural(0, "strike")], ["1 match", "0 strikes"]);
});
