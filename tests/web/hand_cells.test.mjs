/** A board for keys and ears: arrows lead to neighbours, and each cell has words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName, either, rowsOf, standing, step } from "../../server/palio_server/web/lib/hand_cells.js";

const SQUARE = { board: "square", rows: 3, cols: 3, marks: [["pawn", 1, 2, 1], ["bar", null, 0, 0, 1, 2, "b"]], row_names: ["3", "2", "1"], col_names: ["a", "b", "c"] };
const tile = (row, col) => ["hex", null, row, col];
const HEX = { board: "hex", rows: 3, cols: 3, marks: [tile(0, 1), tile(0, 2), tile(1, 0), tile(1, 1), tile(1, 2), tile(2, 0), tile(2, 1), ["disc", 0, 1, 1]] };
const SEATS = [{ name: "black", bot: "x" }, { name: "white", bot: "y" }];

test("arrows go to neighbours and stop at the edge", () => {
  assert.deepEqual(step(SQUARE, [1, 1], "ArrowUp"), [0, 1]);
  assert.deepEqual(step(SQUARE, [1, 1], "ArrowRight"), [1, 2]);
  assert.equal(step(SQUARE, [0, 1], "ArrowUp"), null);
  assert.deepEqual(step(SQUARE, [1, 1], "Home"), [1, 0]);
  assert.deepEqual(step(SQUARE, [1, 1], "End"), [1, 2]);
  assert.equal(step(SQUARE, [1, 1], "x"), null);
});

test("on hexagons up and down reach every row, straight", () => {
  assert.deepEqual(step(HEX, [2, 0], "ArrowUp"), [1, 0]);
  assert.deepEqual(step(HEX, [1, 0], "ArrowUp"), [0, 1]);
  assert.deepEqual(step(HEX, [0, 1], "ArrowDown"), [1, 1]);
  assert.deepEqual(step(HEX, [0, 2], "ArrowDown"), [1, 2]);
  assert.deepEqual(step(HEX, [1, 2], "ArrowDown"), [2, 1]);
  assert.equal(step(HEX, [0, 2], "ArrowRight"), null);
});

test("on a turned board arrows go where they point", () => {
  assert.deepEqual(step(SQUARE, [1, 1], "ArrowUp", true), [2, 1]);
  assert.deepEqual(step(SQUARE, [1, 1], "ArrowRight", true), [1, 0]);
  assert.deepEqual(step(SQUARE, [1, 1], "Home", true), [1, 2]);
  assert.deepEqual(step(HEX, [0, 1], "ArrowUp", true), [1, 1]);
  assert.deepEqual(rowsOf(SQUARE, true)[0], { row: 2, cells: [[2, 2], [2, 1], [2, 0]] });
});

test("a grid has its rows, of hexagons only those that exist", () => {
  assert.deepEqual(rowsOf(HEX).map(({ cells }) => cells.length), [2, 3, 2]);
  assert.equal(rowsOf(SQUARE).length, 3);
});

test("a cell has a name and says what stands on it", () => {
  assert.equal(cellName(SQUARE, [2, 1]), "b1");
  assert.equal(cellName({ ...SQUARE, col_names: ["0", "1", "2"] }, [2, 1]), "row 1, column 1");
  assert.equal(cellName(HEX, [2, 1]), "(0,1)"); // as moves on hexagons are written: from the middle, column first
  assert.equal(cellName({ ...SQUARE, row_names: [], col_names: [] }, [2, 1]), "row 3, column 2");
  const words = standing(SQUARE, SEATS);
  assert.equal(words.get("2 1"), "white pawn");
  assert.equal(words.get("0 1"), "bar b");
  assert.equal(words.get("1 1"), undefined);
  assert.equal(standing(HEX, SEATS).get("1 1"), "black disc");
  assert.equal(standing(HEX, SEATS).get("0 1"), undefined);
});

test("a choice reads as people write it", () => {
  assert.equal(either([]), "");
  assert.equal(either(["d3"]), "d3");
  assert.equal(either(["d3", "e3", "f3"]), "d3, e3 or f3");
});
