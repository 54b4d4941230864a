/** A move thought ahead: from a piece to any cell without one, and only what is legal then is made. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { targets, touch } from "../../server/palio_server/web/lib/hand.js";
import { isThoughtAhead, made, thoughts } from "../../server/palio_server/web/lib/premove.js";

const move = (notation, ...touches) => ({ move: notation, notation, touches, effect: "", choice: null });
const position = (moves, hand = "touches") => ({ hand, moves });
const MOVES = [
  move("e2-e3", [[4, 4]], [[3, 4]]),
  move("e7-e8=Q", [[1, 4]], [[0, 4]], [[0, 4]]),
  move("e7-e8=R", [[1, 4]], [[0, 4]], [[1, 4]]),
  move("pass"),
];

test("games with two touches a move are thought ahead, those with one are not, nor is a list of moves", () => {
  assert.ok(isThoughtAhead(position(MOVES)));
  assert.ok(!isThoughtAhead(position([move("d4", [[3, 3]]), move("pass")])));
  assert.ok(!isThoughtAhead(position(MOVES, "list")));
  assert.ok(!isThoughtAhead(position([move("pass")])));
  assert.ok(!isThoughtAhead(position(null)));
  assert.ok(!isThoughtAhead(null));
});

test("own pieces lead to every cell without one", () => {
  const scene = { board: "square", rows: 2, cols: 3, marks: [["pawn", 0, 0, 0], ["pawn", 0, 0, 1], ["pawn", 1, 1, 1]] };
  const moves = thoughts(scene, 0);
  assert.deepEqual([...targets(moves, []).keys()], ["0 0", "0 1"]);
  assert.deepEqual([...targets(moves, [[0, 0]]).keys()], ["0 2", "1 0", "1 1", "1 2"], "the other's pieces too");
  assert.deepEqual(touch(moves, [[0, 0]], [0, 1]), { kind: "touched", touched: [[0, 1]] });
  assert.equal(touch(moves, [[0, 0]], [1, 1]).kind, "chosen");
  assert.equal(touch(moves, [], [1, 1]).kind, "refused");
});

test("what is legal when the turn comes is made, all else is not", () => {
  assert.equal(made(MOVES, [[4, 4], [3, 4]]).notation, "e2-e3");
  assert.equal(made(MOVES, [[4, 4], [2, 4]]), null);
  assert.equal(made(MOVES, [[4, 5], [3, 5]]), null);
  assert.equal(made(MOVES, [[4, 4], [1, 4]]), null, "another piece that can move is no move");
  assert.equal(made([], [[4, 4], [3, 4]]), null);
});

test("a pawn becomes a queen", () => {
  assert.equal(made(MOVES, [[1, 4], [0, 4]]).notation, "e7-e8=Q");
});
