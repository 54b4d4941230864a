/** Scenes become pictures: every mark has its place, every piece keeps its identity while it moves. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { track } from "../../server/palio_server/web/lib/pieces.js";
import * as scenes from "../../server/palio_server/web/lib/scene.js";

const board = (marks, more = {}) => ({ rows: 3, cols: 3, board: "square", marks, row_names: [], col_names: [], last: [], ...more });
const pawn = (seat, row, col) => ["pawn", seat, row, col, 1, 1, ""];

test("names of rows and columns have their margin, and only where there are any", () => {
  assert.deepEqual(scenes.frame(board([])), { x: 0, y: 0, width: 300, height: 300 });
  const named = scenes.frame(board([], { row_names: ["1"], col_names: ["a"] }));
  assert.ok(named.x < 0 && named.width > 300 && named.height > 300);
});

test("a chequered board has both colours, a plain one has one", () => {
  const squares = (path) => (path.match(/M/g) ?? []).length;
  const { light, dark } = scenes.ground(board([]));
  assert.deepEqual([squares(light), squares(dark)], [5, 4]);
  assert.equal(scenes.ground(board([], { board: "plain" })).dark, "");
});

test("a long mark has its centre in the middle of its cells", () => {
  assert.deepEqual(scenes.centre("plain", scenes.readMark(["bar", 0, 1, 2, 2, 1, ""])), { x: 250, y: 200 });
});

test("hexagons touch: neighbours are one cell apart in all six directions", () => {
  const { x, y } = scenes.centre("hex", { row: 3, col: 3 });
  for (const [dr, dq] of [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]]) {
    const other = scenes.centre("hex", { row: 3 + dr, col: 3 + dq });
    assert.ok(Math.abs(Math.hypot(other.x - x, other.y - y) - scenes.CELL) < 1e-9);
  }
});

test("seatless hex marks say which cells a hex board has", () => {
  const scene = board([["hex", null, 1, 1, 1, 1, ""], ["disc", 0, 1, 1, 1, 1, ""]], { board: "hex" });
  assert.deepEqual(scenes.cells(scene), [[1, 1]]);
  assert.deepEqual(scenes.pieces(scene).map(({ shape }) => shape), ["disc"]);
  assert.equal(scenes.cells(board([pawn(0, 0, 0)], { board: "hex" })).length, 9);
});

test("the last move is what the scene says, else what has changed", () => {
  const [before, after] = [board([pawn(0, 0, 0), pawn(1, 2, 2)]), board([pawn(0, 1, 1), pawn(1, 2, 2)])];
  assert.deepEqual(scenes.touched(after, before), [[0, 0], [1, 1]]);
  assert.deepEqual(scenes.touched({ ...after, last: [[2, 2]] }, before), [[2, 2]]);
  assert.deepEqual(scenes.touched(after, null), []);
});

test("a board says in words what stands on it", () => {
  const seats = [{ name: "black" }, { name: "white" }];
  const words = scenes.describe(board([pawn(0, 0, 0), pawn(0, 0, 1), pawn(1, 2, 2)]), seats);
  assert.equal(words, "board of 3 by 3; black: 2 pawns; white: 1 pawn");
});

test("a piece that moved keeps its key, one that was taken gives its key up", () => {
  const first = track([], scenes.pieces(board([pawn(0, 0, 0), pawn(0, 0, 2), pawn(1, 1, 1)])));
  assert.deepEqual(first.map(({ key }) => key), [0, 1, 2]);
  const taken = track(first, scenes.pieces(board([pawn(0, 0, 2), pawn(0, 1, 1)])));
  assert.deepEqual(taken.map(({ key, from }) => [key, from]), [[1, null], [0, { row: 0, col: 0 }]]);
});

test("a piece that comes from nowhere has a key of its own", () => {
  const first = track([], scenes.pieces(board([pawn(0, 0, 0)])));
  const next = track(first, scenes.pieces(board([pawn(0, 0, 0), pawn(0, 2, 2)])));
  assert.deepEqual(next.map(({ key, from }) => [key, from]), [[0, null], [1, null]]);
});
