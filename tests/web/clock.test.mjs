/** Clocks lose time only for the seat to move, never below zero, and never show time that is gone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, duration, remaining, shown as face, thinking, timeControl } from "../../server/palio_server/web/lib/clock.js";

const state = { clocks: [5000, 8000, null], at: 1000, running: true };

test("only the seat to move loses time", () => {
  assert.equal(remaining(state, 0, 0, 1400), 4600);
  assert.equal(remaining(state, 1, 0, 1400), 8000);
});

test("a clock stops at zero, at the end, and before the start", () => {
  assert.equal(remaining(state, 0, 0, 99_000), 0);
  assert.equal(remaining({ ...state, running: false }, 0, 0, 99_000), 5000);
  assert.equal(remaining(state, 0, null, 99_000), 5000);
});

test("a moment before the update takes nothing away", () => {
  assert.equal(remaining(state, 0, 0, 900), 5000);
});

test("no clock is no clock", () => {
  assert.equal(remaining(state, 2, 2, 2000), null);
  assert.equal(remaining(state, 7, 7, 2000), null);
  assert.equal(thinking(state, 2, 2, 2000), 1000);
  assert.equal(thinking(state, 2, 1, 2000), 0);
});

test("in a race each entrant has been thinking since its own last ply", () => {
  const race = { ...state, since: [1500, 1000, 1900] };
  assert.deepEqual([thinking(race, 0, 0, 2000), thinking(race, 2, 2, 2000), thinking(race, 1, null, 2000)], [500, 100, 0]);
});

test("clocks read as clocks do, and round down", () => {
  const shown = { 0: "0.0", 99: "0.0", 9999: "9.9", 10_000: "0:10", 65_999: "1:05", 3_723_000: "1:02:03" };
  for (const [ms, text] of Object.entries(shown)) assert.equal(clock(Number(ms)), text);
});

test("durations have about three digits", () => {
  const shown = { 0: "0 ms", 4.2: "4 ms", 340: "340 ms", 1250: "1.25 s", 12_340: "12.3 s", 125_000: "2:05" };
  for (const [ms, text] of Object.entries(shown)) assert.equal(duration(Number(ms)), text);
});

test("byo-yomi shows main time, then the period with the periods or moves that are left", () => {
  const japanese = { base_ms: 60_000, byoyomi: { period_ms: 30_000, periods: 3 } };
  assert.deepEqual(face(95_000, japanese), { ms: 5000, count: "", period: 0 });
  assert.deepEqual(face(90_000, japanese), { ms: 30_000, count: "×3", period: 30_000 });
  assert.deepEqual(face(31_000, japanese), { ms: 1000, count: "×2", period: 30_000 });
  assert.deepEqual(face(0, japanese), { ms: 0, count: "×1", period: 30_000 });
  const canadian = { base_ms: 60_000, byoyomi: { period_ms: 30_000, stones: 5 } };
  assert.deepEqual(face(31_000, canadian, null), { ms: 1000, count: "", period: 0 });
  assert.deepEqual(face(20_000, canadian, 2), { ms: 20_000, count: "/2", period: 30_000 });
  assert.deepEqual(face(9000, { base_ms: 10_000 }), { ms: 9000, count: "", period: 0 });
  assert.equal(timeControl(japanese), "60+3x30");
  assert.equal(timeControl(canadian), "60+5/30");
});

test("time controls read as people write them", () => {
  assert.equal(timeControl({ base_ms: 10_000, increment_ms: 100, move_ms: null }), "10+0.1");
  assert.equal(timeControl({ base_ms: null, increment_ms: 0, move_ms: 500 }), "0.5 s a move");
  assert.equal(timeControl({ base_ms: 10_000, increment_ms: 0, move_ms: 500 }), "10+0, 0.5 s a move");
  assert.equal(timeControl({ base_ms: null, increment_ms: 0, move_ms: null }), "no limit");
});
