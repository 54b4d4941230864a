/** A race folds into one board an entrant, and hundreds of cities are kept once, not for each ply. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { foldMatch } from "../../server/palio_server/web/lib/fold.js";

const CITIES = [["disc", null, 0, 0], ["disc", null, 0, 9], ["disc", null, 9, 9]];
const scene = (path = []) => structuredClone({ rows: 10, cols: 10, board: "plain", marks: CITIES, path });
const stand = (cost, end = null) => ({ cost, plies: 0, end });
const view = (ply, seat, race, path) => ({ ply, seat, race, to_move: seat, clocks_ms: [9000, 8000], text: `${ply}`, scene: scene(path) });
const start = [stand(null), stand(null)];
const seats = [{ name: "solver", bot: "ann" }, { name: "solver", bot: "bob" }];
const summary = { kind: "race", seats, view: view(0, 0, start), absent: [], result: null };
const snapshot = { type: "match", seq: 1, summary, lines: [], refusals: [], boards: [view(0, 0, start), view(0, 1, start)] };
const line = (ply, seat, move) => ({ ply, seat, move, ms: 10 });
const played = (seq, ply, seat, race, path, move = "9") => ({ type: "played", seq, line: line(ply, seat, move), view: view(ply, seat, race, path) });

const TOUR = [[0, 0], [0, 9], [9, 9]];
const story = (...messages) => messages.reduce((state, message, i) => foldMatch(state, message, 100 * i), null);

test("a ply changes the board of the entrant that played it, and the standings of all", () => {
  const race = [stand(null), stand(30)];
  const state = story(snapshot, played(2, 1, 1, race, TOUR));
  assert.deepEqual(state.boards.map(({ ply }) => ply), [0, 1]);
  assert.deepEqual(state.summary.view.race, race);
  assert.deepEqual(Object.keys(state.views), ["0", "1"]);
  assert.deepEqual(state.news, { kind: "ahead", seat: 1, cost: 30 });
});

test("each entrant thinks since its own last ply", () => {
  const state = story(snapshot, played(2, 1, 1, start, []), played(3, 2, 0, start, []), played(4, 3, 1, start, []));
  assert.deepEqual([state.since, state.at], [[200, 300], 300]);
});

test("clocks run as long as anybody races", () => {
  const one = story(snapshot, played(2, 1, 1, [stand(null), stand(30, "solved")], []));
  assert.equal(one.running, true);
  const none = foldMatch(one, played(3, 2, 0, [stand(30, "solved"), stand(30, "solved")], []), 500);
  assert.equal(none.running, false);
});

test("cities are kept once, and a solution that is no better keeps the whole picture", () => {
  const first = story(snapshot, played(2, 1, 0, start, TOUR));
  const again = foldMatch(first, played(3, 2, 0, start, TOUR, "no better"), 300);
  assert.equal(again.views[2].scene, again.views[1].scene);
  const better = foldMatch(again, played(4, 3, 0, start, [...TOUR].reverse()), 400);
  assert.notDeepEqual(better.views[3].scene.path, TOUR);
  assert.equal(better.views[3].scene.marks, snapshot.boards[0].scene.marks);
});

test("a snapshot in the middle keeps the newest ply's board in its place, and the end lets nobody move on", () => {
  const race = [stand(20), stand(30)];
  const middle = { ...snapshot, seq: 4, lines: [line(1, 0, "20"), line(2, 1, "30")], summary: { ...summary, view: view(2, 0, race) } };
  const state = story({ ...middle, boards: [view(2, 0, race), view(2, 1, race)] });
  assert.equal(state.views[2].seat, 1);
  const ends = [stand(20, "best-tour"), stand(30, "best-tour")];
  const over = foldMatch(state, { type: "finished", seq: 5, result: { scores: [1, 0] }, view: { ...view(2, 0, ends), to_move: null } }, 900);
  assert.deepEqual(over.boards.map((board) => board.to_move), [null, null]);
  assert.deepEqual([over.views[2].seat, over.summary.view.race], [1, ends]);
});
