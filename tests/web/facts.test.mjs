/** Facts of a match in words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clocksWords, clockWords, confinedWords, met, moment, standing } from "../../server/palio_server/web/lib/facts.js";

test("a clock in full, and nothing where nobody counts", () => {
  assert.equal(clockWords({ base_ms: 20_000, increment_ms: 300, move_ms: null }), "20 s + 0.3 s a move");
  assert.equal(clockWords({ base_ms: 600_000, byoyomi: { period_ms: 30_000, periods: 5 } }), "10 min, 5 × 30 s byo-yomi");
  assert.equal(clockWords({ base_ms: 0, byoyomi: { period_ms: 300_000, stones: 25 } }), "25 moves in 5 min byo-yomi");
  assert.equal(clockWords({ base_ms: 300_000, increment_ms: 0, move_ms: null }), "5 min");
  assert.equal(clockWords({ base_ms: null, increment_ms: 0, move_ms: 500 }), "0.5 s a move");
  assert.equal(clockWords({ base_ms: 60_000, increment_ms: 0, move_ms: 1000 }), "60 s, 1 s a move at most");
  assert.equal(clockWords({ base_ms: null, increment_ms: 0, move_ms: null }), "");
  assert.equal(clockWords({ base_ms: 60_000, increment_ms: 500, move_ms: null, moves: 40 }), "60 s for 40 moves + 0.5 s a move");
});

test("a day and a time; of today the time", () => {
  const when = new Date(2026, 4, 12, 14, 52);
  assert.equal(moment(when.toISOString(), new Date(2026, 4, 13)), "12 May 2026, 14:52");
  assert.equal(moment(when.toISOString(), new Date(2026, 4, 12, 23)), "today, 14:52");
});

test("how two have fared", () => {
  assert.deepEqual(met({ wins: 4, draws: 1, losses: 2 }), { score: "4 – 2", drawn: "1 level" });
  assert.equal(met({ wins: 4, draws: 0, losses: 2 }).drawn, "");
});

test("how an encounter stands", () => {
  const game = (status, scores = null) => ({ status, scores });
  assert.equal(standing({ over: false, points: [0, 0], matches: [game("running")] }), "live");
  assert.equal(standing({ over: true, points: [0.5, 0.5], matches: [game("finished", [0.5, 0.5])] }), "½ – ½");
  assert.equal(standing({ over: false, points: [0, 0], matches: [game("scheduled")] }), "");
});

test("how programs were confined, once where all were the same way", () => {
  const seats = [{ bot: "ann" }, { bot: "bob" }];
  assert.deepEqual(confinedWords({ seats, confined: [] }), []);
  assert.deepEqual(confinedWords({ seats, confined: ["bubblewrap", "bubblewrap"] }), ["bubblewrap"]);
  assert.deepEqual(confinedWords({ seats, confined: ["", "bubblewrap"] }), ["bob: bubblewrap"]);
  assert.deepEqual(confinedWords({ seats, confined: ["a", "b"] }), ["ann: a", "bob: b"]);
});

test("time odds are told bot by bot", () => {
  const seats = [{ name: "black", bot: "ann" }, { name: "white", bot: "bob" }];
  const [time, other] = [10_000, 5_000].map((base_ms) => ({ base_ms, increment_ms: 0, move_ms: null }));
  assert.equal(clocksWords({ seats, time, times: [time, other] }), "ann 10 s, bob 5 s");
  assert.equal(clocksWords({ seats, time }), "10 s");
  assert.equal(clocksWords({ seats, time: { base_ms: null, increment_ms: 0, move_ms: null }, times: [] }), "no limit");
});
