/** Cards of the lobby keep their places while matches come and go. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Gap } from "../../server/palio_server/web/lib/fold.js";
import { LINGERING, LINGER_MS, SHOWN_MS, boardVersion, crowdVersion, expire, foldLobby, playing, resultsVersion } from "../../server/palio_server/web/lib/lobby_fold.js";

const match = (name, over = false) => ({ match: name, result: over ? { scores: [1, 0] } : null });
const update = (seq, ...matches) => ({ type: "update", seq, matches, leaderboards: [] });
const lobby = (...names) => foldLobby(null, { type: "lobby", seq: 0, matches: names.map((name) => match(name)) }, 0);
const places = (state) => state.cards.map((card) => card.summary.match);

test("an update replaces a card where it stands", () => {
  const state = foldLobby(lobby("a", "b", "c"), update(1, match("b")), 50);
  assert.deepEqual(places(state), ["a", "b", "c"]);
  assert.equal(state.cards[1].at, 50);
});

test("a new match takes the place of the result that has been seen for longest, else it comes last", () => {
  let state = foldLobby(lobby("a", "b", "c"), update(1, match("c", true)), 10);
  state = foldLobby(state, update(2, match("a", true)), 20);
  state = foldLobby(state, update(3, match("d"), match("e"), match("f")), 20 + SHOWN_MS);
  assert.deepEqual(places(state), ["e", "b", "d", "f"]);
});

test("a result stays until it has been seen, whatever begins", () => {
  let state = foldLobby(lobby("a", "b"), update(1, match("a", true)), 10);
  state = foldLobby(state, update(2, match("c")), 9 + SHOWN_MS);
  assert.deepEqual(places(state), ["a", "b", "c"]);
});

test("after a lost connection all are where they were", () => {
  const before = foldLobby(lobby("a", "b", "c", "d"), update(1, match("a", true)), 10);
  const state = foldLobby(before, { type: "lobby", seq: 9, matches: ["e", "d", "b"].map((name) => match(name)) }, 20);
  assert.deepEqual(places(state), ["a", "b", "d", "e"]);
});

test("a finished match lingers, is not counted as being played, and leaves in the end", () => {
  const state = foldLobby(lobby("a", "b"), update(1, match("a", true)), 1000);
  assert.deepEqual([places(state), playing(state), state.finished], [["a", "b"], 1, 1]);
  const both = foldLobby(state, update(2, match("b", true)), 1500);
  assert.equal(expire(both, 1500 + LINGER_MS - 1), both);
  assert.deepEqual(places(expire(both, 1500 + LINGER_MS)), []);
});

test("a result with others behind it stays, so that these do not move", () => {
  const state = foldLobby(lobby("a", "b", "c"), update(1, match("a", true), match("c", true)), 0);
  assert.deepEqual(places(expire(state, LINGER_MS)), ["a", "b"]);
});

test("very short matches do not pile up", () => {
  let state = lobby("a");
  for (let i = 1; i < 100; i += 1) state = foldLobby(state, update(i, match(`short ${i}`, true)), i);
  assert.equal(state.cards.length, 1 + LINGERING);
  assert.equal(state.cards.at(0).summary.match, "a");
});

test("changed leaderboards are counted by game, across reconnections", () => {
  const changed = { ...update(1), leaderboards: ["dominoes"] };
  const again = foldLobby(foldLobby(lobby(), changed, 0), { type: "lobby", seq: 9, matches: [] }, 5);
  assert.deepEqual(again.boards, { dominoes: 1 });
});

test("who is here is asked for again when bots come and go and when matches begin and end, not with every move", () => {
  const before = lobby("a");
  const versions = [
    foldLobby(before, { ...update(1), bots: true }, 5),
    foldLobby(before, update(1, match("b")), 5),
    foldLobby(before, update(1, match("a", true)), 5),
    foldLobby(before, { type: "lobby", seq: 9, matches: [] }, 5),
  ].map(crowdVersion);
  assert.deepEqual(versions, Array(4).fill(crowdVersion(before) + 1));
  assert.equal(crowdVersion(foldLobby(before, { ...update(1, match("a")), bots: false }, 5)), crowdVersion(before));
});

test("a missing update raises Gap, a repeated one changes nothing", () => {
  const state = lobby("a");
  assert.throws(() => foldLobby(state, update(2), 0), Gap);
  assert.throws(() => foldLobby(null, update(1), 0), Gap);
  assert.equal(foldLobby(state, update(0), 0), state);
});

test("what may have happened while nobody told us is asked for again", () => {
  const before = lobby("a");
  assert.notEqual(resultsVersion(before), resultsVersion(null));
  assert.notEqual(boardVersion(before, "dominoes"), boardVersion(null, "dominoes"));
  const back = foldLobby(before, { type: "lobby", seq: 9, matches: [] }, 5);
  assert.notEqual(resultsVersion(back), resultsVersion(before));
  assert.notEqual(boardVersion(back, "dominoes"), boardVersion(before, "dominoes"));
  const quiet = foldLobby(back, update(10), 6);
  assert.equal(resultsVersion(quiet), resultsVersion(back));
  assert.equal(boardVersion(quiet, "dominoes"), boardVersion(back, "dominoes"));
});

test("a board that a person has left alone is gone until there is a move", () => {
  let state = foldLobby(lobby("a", "b"), update(1, { ...match("a"), rests: true }), 10);
  assert.deepEqual([places(state), playing(state)], [["b"], 1]);
  state = foldLobby(state, update(2, match("a")), 20);
  assert.deepEqual(places(state), ["b", "a"]);
});
