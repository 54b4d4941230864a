/** A race in numbers: who is ahead, whose board shows what. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as race from "../../server/palio_server/web/lib/race.js";

const stand = (cost, end = null, plies = 0) => ({ cost, plies, end });
const order = (standings, result) => race.places(standings, result).map(({ seat, rank }) => [seat, rank]);
const finish = (cost, reason = "solved", termination = "rule") => ({ cost, reason, termination, detail: "" });
const result = (scores, finishes, more = {}) => ({ termination: "rule", reason: "ranked", scores, finishes, ...more });

test("less cost is ahead, ties share a rank, and whoever has no solution has none", () => {
  assert.deepEqual(order([stand(14), stand(12), stand(null), stand(12)]), [[1, 1], [3, 1], [0, 3], [2, null]]);
});

test("of those without a solution, whoever still races comes first", () => {
  assert.deepEqual(order([stand(null, "crashed"), stand(null), stand(0)]), [[2, 1], [1, null], [0, null]]);
});

test("at the end the scores tell who was faster at equal costs", () => {
  const standings = [stand(12, "solved"), stand(12, "solved")];
  assert.deepEqual(order(standings, result([0, 1], [finish(12), finish(12)])), [[1, 1], [0, 2]]);
  assert.deepEqual(order(standings, result([0.5, 0.5], [], { termination: "adjudicated" })), [[0, 1], [1, 1]]);
});

test("a ply is news when somebody ends, or takes the lead alone", () => {
  const before = [stand(20), stand(18), stand(null)];
  const kind = (after, seat) => race.happened(before, after, seat).kind;
  assert.equal(kind([stand(17), stand(18), stand(null)], 0), "ahead");
  assert.equal(kind([stand(18), stand(18), stand(null)], 0), "quiet");
  assert.equal(kind([stand(20), stand(16), stand(null)], 1), "quiet");
  assert.equal(kind([stand(20), stand(18), stand(null, "crashed")], 2), "ended");
});

test("at any ply every entrant's board is its newest at or before it", () => {
  const views = { 0: { ply: 0, seat: 0 }, 1: { ply: 1, seat: 0 }, 2: { ply: 2, seat: 1 }, 4: { ply: 4, seat: 0 }, 10: { ply: 10, seat: 1 } };
  const lists = race.boardsByEntrant(views, 3);
  const plies = (ply) => race.boardsAt(lists, ply, views[0]).map((view) => view.ply);
  assert.deepEqual([0, 1, 3, 4, 9, 10].map(plies), [[0, 0, 0], [1, 0, 0], [1, 2, 0], [4, 2, 0], [4, 2, 0], [4, 10, 0]]);
  assert.deepEqual(race.boardsAt(lists, 0, views[0])[2], { ply: 0, seat: 2, to_move: 2 });
});

test("costs over time come from the lines of an anytime race, and from no other's", () => {
  const line = (seat, move, ms) => ({ seat, move, ms });
  const lines = [line(0, "812.5", 100), line(1, "900", 40), line(0, "no better", 50), line(0, "7e+02", 10), line(1, "out", 0), line(0, "done", 0)];
  const [ann, bob] = race.costs(lines, 2);
  assert.deepEqual(ann, { ms: 160, points: [[100, 812.5], [160, 700]] });
  assert.deepEqual(bob, { ms: 40, points: [[40, 900]] });
  assert.equal(race.costs([line(0, "a+2", 5)], 1), null);
  assert.equal(race.costs([line(0, "out", 5)], 1), null);
});
