/** A race in words: ranks, costs, how it ended. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../server/palio_server/web/lib/race_words.js";
import { cause, seatName, verdict } from "../../server/palio_server/web/lib/words.js";

const stand = (cost, end = null, plies = 0) => ({ cost, plies, end });
const seats = ["ann", "bob", "cid", "dan"].map((bot) => ({ name: "solver", bot }));
const finish = (cost, reason = "solved", termination = "rule") => ({ cost, reason, termination, detail: "" });
const result = (scores, finishes, more = {}) => ({ termination: "rule", reason: "ranked", scores, finishes, ...more });


test("ranks and costs read as people write them", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 21, 64].map(words.ordinal), ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "64th"]);
  assert.deepEqual([12, 7544.371, 0.5, 0, null].map(words.paid), ["12", "7544.37", "0.5", "0", "–"]);
});

test("each way out of a race has words of its own", () => {
  const sentences = [
    finish(3),
    finish(null, "max-moves"),
    finish(70, "best-tour", "time"),
    finish(70, "best-tour", "resigned"),
    finish(null, "flag-fell", "time"),
    finish(null, "too-many-illegal-moves", "illegal"),
    finish(null, "crashed", "crashed"),
    finish(null, "ply-cap", "adjudicated"),
  ].map((each) => words.ending({ cost: each.cost, end: each.reason }, each));
  assert.deepEqual(sentences, [
    "solved",
    "the limit of moves was reached",
    "best tour, time is up",
    "best tour, done",
    "out of time: the flag fell",
    "out: illegal moves: too many illegal moves",
    "crashed",
    "the limit of plies was reached",
  ]);
  assert.equal(words.ending(stand(null)), "");
  assert.equal(words.ending(stand(null, "time")), "out of time");
});

test("a race's result names the first and what they paid", () => {
  const three = result([0.5, 1, 0], [finish(14), finish(12), finish(null, "crashed", "crashed")]);
  assert.equal(verdict(three, seats.slice(0, 3)), "bob wins");
  assert.equal(cause(three, seats.slice(0, 3)), "1st bob 12, 2nd ann 14, cid without a solution");
  const tie = result([2.5 / 3, 2.5 / 3, 1 / 3, 0], [finish(1), finish(1), finish(2), finish(3)]);
  assert.equal(verdict(tie, seats), "ann and bob share the win");
  assert.equal(cause(tie, seats), "1st ann 1, 1st bob 1, 3rd cid 2, and 1 more");
  const alone = result([1], [finish(9)]);
  assert.deepEqual([verdict(alone, seats.slice(0, 1)), cause(alone, seats.slice(0, 1))], ["Solved", "ann 9"]);
  assert.equal(verdict(result([0.5, 0.5], [finish(null), finish(null)]), seats), "No solution");
  const stopped = result([0.5, 0.5], [finish(1), finish(null)], { termination: "adjudicated", reason: "stopped" });
  assert.deepEqual([verdict(stopped, seats), cause(stopped, seats)], ["Stopped", "stopped, 1st ann 1, bob without a solution"]);
});

test("a race that nobody was ready for is none, and entrants go by their bots' names", () => {
  const nobody = { termination: "adjudicated", reason: "nobody-ready", scores: [0.5, 0.5] };
  assert.equal(verdict(nobody, seats.slice(0, 2)), "No race");
  assert.equal(seatName(seats, 1), "bob");
});
