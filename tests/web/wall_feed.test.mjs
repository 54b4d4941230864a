/** What the hall's screen knows of the matches: all in progress, and a few that have ended. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Gap } from "../../server/palio_server/web/lib/fold.js";
import { STALE_MS, UNSEEN, foldEnd, foldFeed } from "../../server/palio_server/web/lib/wall_feed.js";

const match = (name, { ply = 0, over = false, told } = {}) => ({ match: name, seats: [], view: { ply }, told, result: over ? { scores: [1, 0] } : null });
const lobby = (...matches) => ({ type: "lobby", seq: 0, matches });
const update = (seq, ...matches) => ({ type: "update", seq, matches, leaderboards: [] });
const names = (state) => [...state.matches.keys()];

test("a finished match is kept for a while, and its result is listed", () => {
  let state = foldFeed(foldFeed(null, lobby(match("a"), match("b")), 0), update(1, match("a", { over: true, ply: 9 })), 100);
  assert.deepEqual([names(state), state.finished, state.ended.map(({ match: name, plies }) => [name, plies])], [["a", "b"], 1, [["a", 9]]]);
  state = foldFeed(state, update(2, match("b")), 101 + STALE_MS);
  assert.deepEqual([names(state), state.ended.length], [["b"], 1]);
});

test("of many that have ended only the newest may still be shown", () => {
  let state = foldFeed(null, lobby(match("a")), 0);
  for (let seq = 1; seq <= 2 * UNSEEN; seq += 1) state = foldFeed(state, update(seq, match(`short ${seq}`, { over: true })), seq);
  assert.deepEqual([names(state).length, names(state)[0], names(state).at(-1)], [UNSEEN + 1, "a", `short ${2 * UNSEEN}`]);
});

test("after a snapshot whoever is not in it is gone, whoever is keeps what was known of it", () => {
  const before = foldFeed(foldFeed(null, lobby(match("a", { told: [1, null] }), match("b")), 0), update(1, match("a", { told: [2, 5] })), 100);
  const after = foldFeed(before, lobby(match("a", { told: [2, 5] })), 900);
  assert.deepEqual([names(after), after.matches.get("a").told, after.matches.get("a").since], [["a"], [[1, 2], [5]], 0]);
});

test("a match that ended while the connection was lost is taken up with its result, once", () => {
  const before = foldFeed(foldFeed(null, lobby(match("a"), match("b")), 0), lobby(match("b")), 900);
  const after = foldEnd(before, match("a", { over: true, ply: 9 }), 1000);
  assert.deepEqual([names(after), after.matches.get("a").ended, after.finished, after.ended.map(({ match: name }) => name)], [["b", "a"], 1000, 1, ["a"]]);
  assert.deepEqual([foldEnd(after, match("a", { over: true }), 1100).finished, names(before)], [1, ["b"]]);
  assert.equal(foldEnd(before, match("c"), 1000), before, "what goes on is the lobby's business");
});

test("a gap asks for a snapshot, what comes twice changes nothing", () => {
  const state = foldFeed(null, lobby(match("a")), 0);
  assert.throws(() => foldFeed(state, update(2), 0), Gap);
  assert.throws(() => foldFeed(null, update(1), 0), Gap);
  assert.throws(() => foldFeed(state, { type: "news" }, 0), Gap);
  assert.equal(foldFeed(state, update(0, match("b")), 0), state);
});

test("a server that tells no scores is no trouble", () => {
  assert.deepEqual(foldFeed(null, lobby(match("a")), 0).matches.get("a").told, []);
});

test("a board that a person has left alone is not shown until there is a move", () => {
  const left = foldFeed(foldFeed(null, lobby(match("a"), match("b")), 0), update(1, { ...match("a"), rests: true }), 100);
  assert.deepEqual(names(left), ["b"]);
  assert.deepEqual(names(foldFeed(left, update(2, match("a")), 200)), ["b", "a"]);
});
