/** Touches become moves as in the terminal: what is touched leads on, lands, lets go, or is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { choices, held, named, piece, takes, targets, touch } from "../../server/palio_server/web/lib/hand.js";

const move = (notation, ...touches) => ({ move: notation, notation, touches, effect: "" });
const MOVES = [
  move("e2-d3", [[4, 4]], [[3, 3]]),
  move("e2-e3", [[4, 4]], [[3, 4]]),
  move("f2-f3", [[4, 5]], [[3, 5]]),
  move("a-2", [[0, 0], [0, 1]], [[0, 3]]),
  move("exit", [[6, 6]], [[6, 6]]),
  move("pass"),
];

test("a piece leads to its targets, and a target makes the move", () => {
  assert.deepEqual([...targets(MOVES, []).keys()], ["4 4", "4 5", "0 0", "0 1", "6 6"]);
  assert.deepEqual(touch(MOVES, [], [4, 4]), { kind: "touched", touched: [[4, 4]] });
  assert.deepEqual([...targets(MOVES, [[4, 4]])].map(([key, { lands }]) => [key, lands]), [["3 3", true], ["3 4", true]]);
  assert.equal(touch(MOVES, [[4, 4]], [3, 4]).move.notation, "e2-e3");
});

test("another piece is taken instead, the same one is let go", () => {
  assert.deepEqual(touch(MOVES, [[4, 4]], [4, 5]), { kind: "touched", touched: [[4, 5]] });
  assert.deepEqual(touch(MOVES, [[4, 4]], [4, 4]), { kind: "touched", touched: [] });
  assert.deepEqual(touch(MOVES, [[0, 0]], [0, 1]), { kind: "touched", touched: [] }); // its other cell
});

test("a piece that leaves the board is touched twice", () => {
  assert.equal(touch(MOVES, [[6, 6]], [6, 6]).move.notation, "exit");
});

test("a long piece is taken by any of its cells", () => {
  assert.deepEqual(piece(MOVES, [0, 1]), [[0, 0], [0, 1]]);
  assert.deepEqual(held(MOVES, [[0, 1]]), [[0, 0], [0, 1]]);
  assert.equal(touch(MOVES, [[0, 1]], [0, 3]).move.notation, "a-2");
});

test("what leads nowhere is refused, with what was asked for", () => {
  assert.deepEqual(touch(MOVES, [], [2, 2]), { kind: "refused", cells: [[2, 2]] });
  assert.deepEqual(touch(MOVES, [[4, 4]], [0, 5]), { kind: "refused", cells: [[4, 4], [0, 5]] });
});

test("a drag begins on what can be taken, never on a target", () => {
  assert.ok(takes(MOVES, [], [4, 4]));
  assert.ok(takes(MOVES, [[4, 4]], [4, 5]));
  assert.ok(!takes(MOVES, [[4, 4]], [3, 4]));
  assert.ok(!takes(MOVES, [], [2, 2]));
});

test("a pass has a name and no touch", () => {
  assert.deepEqual(named(MOVES).map(({ notation }) => notation), ["pass"]);
});

const PROMOTIONS = [
  move("e8=Q+", [[1, 4]], [[0, 4]], [[0, 4]]),
  move("e8=R+", [[1, 4]], [[0, 4]], [[1, 4]]),
  move("e8=N", [[1, 4]], [[0, 4]], [[3, 4]]),
  move("exf8=Q", [[1, 4]], [[0, 5]], [[0, 5]]),
  move("exf8=N", [[1, 4]], [[0, 5]], [[3, 5]]),
];

test("a third touch that chooses a piece shows the piece, and may be where the pawn stood", () => {
  const names = (cells) => [...choices(PROMOTIONS, cells)].map(([cell, { name }]) => [cell, name]);
  assert.deepEqual(names([[1, 4], [0, 4]]), [["0 4", "Q"], ["1 4", "R"], ["3 4", "N"]]);
  assert.deepEqual(names([[1, 4], [0, 5]]), [["0 5", "Q"], ["3 5", "N"]]);
  const drawn = PROMOTIONS.map((each) => ({ ...each, choice: ["knight", 0, 3, 4] }));
  assert.deepEqual([...choices(drawn, [[1, 4], [0, 4]]).values()].map(({ name, mark }) => [name, mark.shape]), Array(3).fill(["knight", "knight"]));
  assert.equal(choices(PROMOTIONS, [[1, 4]]).size, 0);
  assert.deepEqual(touch(PROMOTIONS, [[1, 4]], [0, 4]), { kind: "touched", touched: [[1, 4], [0, 4]] });
  assert.equal(touch(PROMOTIONS, [[1, 4], [0, 4]], [1, 4]).move.notation, "e8=R+");
});
