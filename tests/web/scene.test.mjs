/** Scenes become pictures: every mark has its place. */

import assert from "node:assert/strict";
import { test } from "node:test";
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

const disc = (n, text = "") => ["disc", null, n % 40, Math.floor(n / 40), 1, 1, text];
const large = (marks, more = {}) => ({ rows: 40, cols: 40, board: "plain", marks, ...more });
const lines = (path) => (path.match(/M/g) ?? []).length;

test("many discs become one path of dots, few or named ones stay marks of their own", () => {
  const many = scenes.crowds(large([...Array.from({ length: 2000 }, (_, n) => disc(n)), disc(7, "7")]));
  assert.deepEqual([many.dots.length, lines(many.dots[0].path), many.single.length], [1, 2000, 1]);
  assert.equal(scenes.crowds(large(Array.from({ length: 40 }, (_, n) => disc(n)))).single.length, 40);
});

test("a fine plain board has no lines between its cells", () => {
  assert.equal(scenes.ground(large([])).light, "M0 0h4000v4000h-4000z");
  assert.equal(lines(scenes.ground(large([], { rows: 16, cols: 16 })).light), 256);
});

test("a tour is part of what is said of a board", () => {
  assert.equal(scenes.describe(large([disc(0)], { path: [[0, 0], [0, 2], [2, 2], [2, 0]] }), []), "board of 40 by 40; nobody: 1 disc; a closed line through 4 cells");
});

const stone = (seat, row, col) => ["stone", seat, row, col, 1, 1, ""];
const lined = (marks, more = {}) => board(marks, { board: "lines", ...more });

test("a board with lines has one through each row and column, and its dots", () => {
  const net = scenes.mesh(lined([], { dots: [[1, 1]] }));
  assert.equal(net.lines, "M50 50h200M50 150h200M50 250h200M50 50v200M150 50v200M250 50v200");
  assert.equal(net.dots, "M150 150h0");
  assert.equal(scenes.mesh(board([])), null);
  assert.deepEqual(scenes.ground(lined([])), { light: "M0 0h300v300h-300z", dark: "" });
});

test("the last stone has a ring; where it was taken, or on another board, there is none", () => {
  const rings = (scene) => scenes.ringed(scene, scenes.touched(scene)).map(({ seat, row, col }) => [seat, row, col]);
  assert.deepEqual(rings(lined([stone(0, 0, 0), stone(1, 1, 1)], { last: [[1, 1]] })), [[1, 1, 1]]);
  assert.deepEqual(rings(lined([stone(0, 0, 0)], { last: [[1, 1]] })), []);
  assert.deepEqual(rings(board([pawn(0, 0, 0)], { last: [[0, 0]] })), []);
});

test("points that count are no pieces: they are not counted, and no move", () => {
  const after = lined([stone(0, 0, 0), ["area", 0, 1, 1, 1, 1, ""]], { tallies: ["9 points", "7 points"] });
  const seats = [{ name: "black" }, { name: "white" }];
  assert.equal(scenes.describe(after, seats), "board of 3 by 3; black: 1 stone, 9 points");
  assert.deepEqual(scenes.touched(after, lined([stone(0, 0, 0)])), []);
});

test("a change of the dots is a change of the ground", () => {
  assert.notEqual(scenes.still(lined([], { dots: [[1, 1]] })), scenes.still(lined([])));
});

test("names grow with a large board with lines, so that they stay readable", () => {
  assert.equal(scenes.nameSize(lined([])), 25);
  assert.equal(scenes.nameSize({ ...lined([]), rows: 19, cols: 19 }), 45.6);
  assert.equal(scenes.nameSize(large([])), 25);
});
