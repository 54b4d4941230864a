/** A snapshot and its deltas give the same match as a later snapshot would; a hole in the numbers is found. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Gap, foldMatch } from "../../server/palio_server/web/lib/fold.js";
import { announce } from "../../server/palio_server/web/lib/words.js";

const view = (ply, toMove = ply % 2) => ({ ply, to_move: toMove, clocks_ms: [9000 - ply, 9000], text: `ply ${ply}`, scene: null });
const line = (ply) => ({ ply, seat: (ply - 1) % 2, move: `m${ply}`, ms: 10, info: null });
const summary = (ply = 0) => ({
  match: "m",
  game: "g",
  title: "G",
  seats: [{ name: "black", bot: "ada" }, { name: "white", bot: "grace" }],
  time: { base_ms: 9000, increment_ms: 0, move_ms: null },
  event: "",
  view: view(ply),
  absent: [],
  result: null,
});
const snapshot = (seq = 0, ply = 0) => ({
  type: "match",
  seq,
  summary: summary(ply),
  lines: Array.from({ length: ply }, (_, i) => line(i + 1)),
  refusals: [],
});
const played = (seq, ply) => ({ type: "played", seq, match: "m", line: line(ply), view: view(ply) });
const started = (seq) => ({ type: "started", seq, match: "m", summary: summary() });
const result = { termination: "rule", reason: "reached-far-row", scores: [1, 0], seat: null, detail: "" };

const story = (...messages) => messages.reduce((state, message, i) => foldMatch(state, message, 100 * i), null);

test("deltas lead to what a later snapshot says", () => {
  const followed = story(snapshot(), started(1), played(2, 1), played(3, 2));
  const late = story(snapshot(3, 2));
  for (const key of ["seq", "lines", "refusals", "clocks", "running"]) assert.deepEqual(followed[key], late[key]);
  assert.deepEqual(followed.summary.view, late.summary.view);
});

test("every position on the way is kept, for stepping back", () => {
  assert.deepEqual(Object.keys(story(snapshot(), started(1), played(2, 1), played(3, 2)).views), ["0", "1", "2"]);
});

test("an analysis may come at any time after the end, and leaves the numbers alone", () => {
  const ended = story(snapshot(3, 2));
  const analysed = foldMatch(ended, { type: "analysed", match: "m" }, 900);
  assert.equal(analysed.analyses, ended.analyses + 1);
  assert.deepEqual({ ...analysed, analyses: 0, news: null }, { ...ended, analyses: 0, news: null });
  assert.throws(() => foldMatch(null, { type: "analysed", match: "m" }, 0), Gap);
});

test("a new snapshot may hide an analysis: what was kept while nobody was connected is asked for again", () => {
  const before = story(snapshot(3, 2));
  assert.equal(foldMatch(before, snapshot(3, 2), 900).analyses, before.analyses + 1);
});

test("plies that were shown and are in no later snapshot are told, once another server has taken over", () => {
  const before = story(snapshot(4, 2), played(5, 3), played(6, 4));
  const known = foldMatch(before, snapshot(6, 4), 900);
  assert.equal(known.wentBack, null);
  const after = foldMatch(before, snapshot(9, 3), 900);
  assert.deepEqual([after.wentBack, after.news], [3, { kind: "went-back", ply: 3 }]);
  assert.equal(announce(after.news, after.summary), "Another server has taken the match over; it went on after ply 3.");
  const another = { ...snapshot(9, 4), lines: [line(1), line(2), { ...line(3), move: "other" }, line(4)] };
  assert.equal(foldMatch(before, another, 900).wentBack, 2);
  assert.equal(foldMatch(after, played(10, 4), 1000).wentBack, 3);
});

test("a missing delta raises Gap", () => {
  assert.throws(() => story(snapshot(), played(2, 1)), Gap);
});

test("a delta before any snapshot raises Gap", () => {
  assert.throws(() => foldMatch(null, played(1, 1), 0), Gap);
});

test("a delta that the snapshot held already changes nothing", () => {
  const state = story(snapshot(5, 2));
  assert.equal(foldMatch(state, played(4, 2), 0), state);
});

test("folding never changes the state before", () => {
  const before = story(snapshot(), started(1), played(2, 1));
  const copy = structuredClone(before);
  foldMatch(before, played(3, 2), 900);
  foldMatch(before, { type: "absent", seq: 3, match: "m", seat: 1, grace_ms: 5 }, 900);
  assert.deepEqual(before, copy);
});

test("clocks are true from the moment of the delta, and stand still before the start and after the end", () => {
  assert.equal(story(snapshot()).running, false);
  assert.deepEqual([story(snapshot(), started(1)).running, story(snapshot(), started(1)).at], [true, 100]);
  const end = { type: "finished", seq: 2, match: "m", result, view: view(0, null) };
  assert.equal(story(snapshot(), started(1), end).running, false);
});

test("a rejected move keeps its reason, and the clock runs on from what it says", () => {
  const refusal = { ply: 0, seat: 0, move: "x", code: "off-board", reason: "row 7 is off the board", strikes_left: 2 };
  const state = story(snapshot(), started(1), { type: "refused", seq: 2, match: "m", refusal, clocks_ms: [8000, 9000] });
  assert.deepEqual([state.refusals, state.clocks, state.running], [[refusal], [8000, 9000], true]);
});

test("an absent seat is noted once, and forgotten when it is back", () => {
  const absent = (seq) => ({ type: "absent", seq, match: "m", seat: 1, grace_ms: 3000 });
  const away = story(snapshot(), started(1), absent(2), absent(3));
  assert.deepEqual([away.summary.absent, away.grace], [[1], { 1: { ms: 3000, at: 300 } }]);
  const back = foldMatch(away, { type: "back", seq: 4, match: "m", seat: 1, grace_ms: 2000 }, 400);
  assert.deepEqual([back.summary.absent, back.grace], [[], {}]);
});

test("a snapshot in the middle of the stream replaces everything", () => {
  const state = story(snapshot(), started(1), played(2, 1), snapshot(7, 0));
  assert.deepEqual([state.seq, state.lines, Object.keys(state.views)], [7, [], ["0"]]);
});

test("how many watch may be told at any time, and outlives a new snapshot", () => {
  const told = foldMatch(story(snapshot(3, 2)), { type: "viewers", match: "m", count: 6 }, 900);
  assert.equal(told.viewers, 6);
  assert.equal(foldMatch(told, snapshot(4, 3), 950).viewers, 6);
  assert.equal(story(snapshot()).viewers, null);
});
