/** What surrounds the cells lies outside them, and can be told in words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chip, piecesOf } from "../../server/palio_server/web/lib/chip.js";
import { ghosts } from "../../server/palio_server/web/lib/ghosts.js";
import { pips } from "../../server/palio_server/web/lib/pips.js";
import { arrows, edgeWords, fence, goals, ways } from "../../server/palio_server/web/lib/rim.js";
import { bare, describe, frame, inTheWay, namesAt, still } from "../../server/palio_server/web/lib/scene.js";

const board = (more = {}) => ({ rows: 3, cols: 3, board: "square", marks: [], row_names: [], col_names: [], last: [], path: [], ...more });
const top = [1, [3], [[0, 0], [0, 1], [0, 2]], 0, 0];
const lines = (path) => (path.match(/M/g) ?? []).length;

test("the sides of an edge become one line, outside the cells", () => {
  const [goal] = goals(board({ edges: [top] }));
  assert.equal(goal.path, "M0 -14L100 -14L200 -14L300 -14");
});

test("the two sides of each hexagon make a zigzag without a break", () => {
  const [goal] = goals(board({ board: "hex", edges: [[0, [0, 5], [[0, 2], [1, 2], [2, 2]], 0, 0]] }));
  assert.equal(lines(goal.path), 1);
  assert.equal(goal.path.split("L").length, 7);
});

test("sockets are filled in their order, and spread over the cells", () => {
  const [{ sockets }] = goals(board({ edges: [[0, [1], [[2, 0], [2, 1], [2, 2]], 2, 1]] }));
  assert.deepEqual(sockets, [{ x: 50, y: 348, full: true }, { x: 250, y: 348, full: false }]);
});

test("a fence goes round the board, but for the gap", () => {
  const scene = board({ gaps: [[1, 2, 0]] });
  const path = fence(scene);
  assert.equal(lines(path), 1);
  assert.ok(path.startsWith("M306 200L") && path.endsWith("L306 100"), path);
  assert.equal(fence(board()), "");
  assert.ok(arrows(scene).startsWith("M322 "), arrows(scene));
});

test("the picture has room for what surrounds the cells, and names lie beyond it", () => {
  const plain = frame(board());
  const rich = frame(board({ edges: [top], gaps: [[1, 2, 0]] }));
  assert.ok(rich.y < plain.y && rich.x + rich.width > plain.width + 50);
  const below = [0, [1], [[2, 0]], 1, 0];
  assert.ok(namesAt(board({ edges: [below], col_names: ["a"] })).y > 370);
});

test("a small picture keeps sockets and leaves bands and names out", () => {
  const sockets = [0, [1], [[2, 0]], 4, 1];
  const small = bare(board({ edges: [top, sockets], row_names: ["1", "2", "3"] }));
  assert.deepEqual([small.edges, small.row_names], [[sockets], []]);
});

test("a way goes on through the gap at its end, and says who stands in it", () => {
  const scene = board({ board: "plain", gaps: [[1, 2, 0]], lines: [["way", 0, [[1, 0], [1, 1], [1, 2]]]], marks: [["bar", null, 0, 1, 2, 1, "b"], ["bar", 0, 1, 0, 1, 1, "a"]] });
  assert.deepEqual(ways(scene), [{ kind: "way", seat: 0, path: "M50 150L150 150L250 150L300 150" }]);
  assert.deepEqual([...inTheWay(scene)], ["b"]);
});

test("what stays from ply to ply has one key, whatever is filled", () => {
  const at = (filled) => still(board({ edges: [[0, [1], [[2, 0]], 4, filled]] }));
  assert.equal(at(0), at(3));
  assert.notEqual(at(0), still(board()));
});

test("goals, counts and ways out are told", () => {
  const seats = [{ name: "red" }, { name: "blue" }];
  assert.deepEqual(edgeWords(board({ edges: [[0, [0, 5], [], 4, 1], top], gaps: [[1, 2, 0]], row_names: ["0", "1", "2"] }), seats), [
    "red goes to the upper right edge",
    "blue goes to the upper edge",
    "a way out of row 1, on the right",
  ]);
  const words = describe(board({ marks: [["disc", 0, 0, 0, 1, 1, ""]], tallies: ["2 exits", "1 exit"] }), seats);
  assert.equal(words, "board of 3 by 3; red: 1 disc, 2 exits");
});

test("a chip is the scene's own, else a piece of the seat, else somebody's, else a disc", () => {
  const pawn = ["pawn", 1, 2, 2, 1, 1, "x"];
  assert.deepEqual(chip(board({ marks: [["ball", 0, 0, 0, 1, 1, ""], pawn] }), 1), { shape: "pawn", seat: 1, row: 0, col: 0, rows: 1, cols: 1, text: "" });
  assert.equal(chip(board({ marks: [pawn] }), 0).shape, "pawn");
  assert.equal(chip(board({ marks: [pawn], chips: [["bar", 0, 0, 0, 2, 1, ""]] }), 0).rows, 2);
  assert.equal(chip(null, 3).shape, "disc");
});

test("a list shows a game's own pieces, of a race or an unknown game none", () => {
  const games = [{ name: "nim", pieces: [["stone", 0, 0, 0, 1, 1, ""], ["bar", 1, 0, 0, 1, 2, ""]] }, { name: "race", pieces: [] }];
  assert.equal(chip(piecesOf(games, "nim"), 1).cols, 2);
  assert.equal(piecesOf(games, "race"), null);
  assert.equal(piecesOf(games, "ludo"), null);
});

test("pips are the sockets of the seat's edge", () => {
  assert.deepEqual(pips(board({ edges: [[1, [1], [[2, 0]], 4, 3]], tallies: ["", "3 exits"] }), 1), { of: 4, filled: 3, words: "3 exits" });
  assert.deepEqual(pips(null, 0), { of: 0, filled: 0, words: "" });
});

test("tours of many cities have one ghost, and none that is far longer", () => {
  const path = Array.from({ length: 200 }, (_, city) => [city, 0]);
  const boards = [0, 1, 2].map(() => ({ scene: { path } }));
  const standings = [{ seat: 1, cost: 100 }, { seat: 0, cost: 150 }, { seat: 2, cost: 190 }];
  assert.deepEqual(ghosts(standings, boards, 1).map(({ seat }) => seat), [0]);
  assert.deepEqual(ghosts([{ seat: 1, cost: 100 }, { seat: 0, cost: 900 }], boards, 1), []);
});

test("up to four other tours are ghosts, the best of them on top; of more the best alone", () => {
  const standings = Array.from({ length: 5 }, (_, seat) => ({ seat }));
  const boards = standings.map(({ seat }) => ({ scene: { path: [[seat, 0]] } }));
  assert.deepEqual(ghosts(standings, boards, 1).map(({ seat }) => seat), [4, 3, 2, 0]);
  assert.deepEqual(ghosts([...standings, { seat: 5 }], [...boards, boards[0]], 0).map(({ seat }) => seat), [1]);
  assert.deepEqual(ghosts(standings, boards.map(() => ({ scene: null })), 0), []);
});
