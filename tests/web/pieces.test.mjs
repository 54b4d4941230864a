/** Every piece keeps its identity while it moves. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { track } from "../../server/palio_server/web/lib/pieces.js";
import * as scenes from "../../server/palio_server/web/lib/scene.js";

const board = (marks) => ({ rows: 3, cols: 3, board: "square", marks, row_names: [], col_names: [], last: [], path: [] });
const pawn = (seat, row, col) => ["pawn", seat, row, col, 1, 1, ""];


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

test("a stone does not glide from where another one was taken", () => {
  const stone = (row, col) => ["stone", 0, row, col, 1, 1, ""];
  const first = track([], scenes.pieces(board([stone(0, 0), stone(0, 2)])));
  const next = track(first, scenes.pieces(board([stone(0, 2), stone(1, 1)])));
  assert.deepEqual(next.map(({ key, from }) => [key, from]), [[1, null], [2, null]]);
});
