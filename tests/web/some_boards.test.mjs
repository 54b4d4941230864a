/** A lobby that shows some boards: the server's numbers, and another match in the place of each result. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOWN_MS, crowdVersion, foldLobby, playing, resultsVersion } from "../../server/palio_server/web/lib/lobby_fold.js";
import { someBoards } from "../../server/palio_server/web/lib/some_boards.js";

const match = (name, over = false) => ({ match: name, result: over ? { scores: [1, 0] } : null });
const update = (seq, ...matches) => ({ type: "update", seq, matches, leaderboards: [] });
const places = (state) => state.cards.map((card) => card.summary.match);

/** Messages to a viewer of some boards, which count the matches that it does not show. */
const counted = (seq, ...matches) => ({ ...update(seq, ...matches), bots: false, playing: 40, here: 80, ended: 0 });
const few = (names, most = names.length) => someBoards(most)(null, { type: "lobby", seq: 0, matches: names.map((name) => match(name)), playing: 40, here: 80 }, 0);

test("the numbers of a lobby that shows some boards are the server's", () => {
  const state = few(["a", "b"]);
  assert.deepEqual([playing(state), state.here], [40, 80]);
  const after = someBoards(2)(state, { ...counted(1), playing: 38, ended: 2, bots: true }, 5);
  assert.deepEqual([playing(after), resultsVersion(after) - resultsVersion(state), crowdVersion(after) - crowdVersion(state)], [38, 2, 1]);
});

test("a board that is shown instead of another one says nothing of who is here", () => {
  const state = few(["a", "b"]);
  assert.equal(crowdVersion(someBoards(2)(state, counted(1, match("c")), 5)), crowdVersion(state));
});

test("the match that the server shows instead takes the place of a result as soon as this has been seen", () => {
  const fold = someBoards(2);
  let state = fold(few(["a", "b"]), counted(1, match("a", true), match("c")), 0);
  assert.deepEqual(places(state), ["a", "b", "c"]);
  state = fold(state, counted(2, match("c")), SHOWN_MS - 1);
  assert.deepEqual(places(state), ["a", "b", "c"]);
  state = fold(state, counted(3, match("b")), SHOWN_MS);
  assert.deepEqual(places(state), ["c", "b"]);
});

test("behind the last board there are no results, and never more matches than boards", () => {
  const fold = someBoards(3);
  let state = few(["a", "b", "c"]);
  const running = ["a", "b", "c"];
  for (let seq = 1; seq < 300; seq += 1) {
    const over = running.splice(seq % 3, 1, `m${seq}`)[0];
    state = fold(state, counted(seq, match(over, true), match(`m${seq}`)), seq * 500);
    const shown = places(state);
    assert.ok(running.every((name) => shown.includes(name)), `${seq}: ${shown}`);
    assert.ok(state.cards.slice(3).every(({ summary }) => !summary.result));
    assert.ok(state.cards.length <= 6);
  }
});

test("a viewer who shows more, and then fewer boards keeps what it can", () => {
  const all = foldLobby(few(["a", "b"]), { type: "lobby", seq: 7, matches: ["x", "a", "b", "y"].map((name) => match(name)) }, 5);
  assert.deepEqual([places(all), all.here, playing(all)], [["a", "b", "x", "y"], undefined, 4]);
  const again = someBoards(2)(all, { type: "lobby", seq: 0, matches: ["b", "y"].map((name) => match(name)), playing: 4, here: 8 }, 9);
  assert.deepEqual(places(again), ["b", "y"]);
});
