/** A cell of the standings says in a few signs what a bot made of a round. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { byBot, cellWords, roundsShown } from "../../server/palio_server/web/lib/cells.js";

const cell = (points, opponents, more = {}) => ({ round: 1, how: "played", points, opponents, colour: "", ...more });
const line = (rank, bot, rounds) => ({ rank, bot, rounds });

test("a win with black against the bot in place 2", () => {
  const own = cell(1, ["oca"], { colour: "black" });
  const lines = byBot([line(1, "lupa", [own]), line(2, "oca", [cell(0, ["lupa"], { colour: "white" })])]);
  assert.deepEqual(cellWords(own, lines), { text: "1", aside: "b2", title: "round 1: won with black against oca, 1", kind: "ahead" });
});

test("what a round is worth is read off what the opponents made of it", () => {
  const duel = (mine, theirs) => cellWords(cell(mine, ["oca"]), byBot([line(2, "oca", [cell(theirs, ["lupa"])])])).kind;
  assert.equal(duel(1, 1), "level"); // one point of two games
  assert.equal(duel(1.5, 0.5), "ahead");
  assert.equal(duel(0.5, 1.5), "behind");
  const three = byBot([line(2, "a", [cell(0.5, ["x", "b"])]), line(3, "b", [cell(0, ["x", "a"])])]);
  assert.equal(cellWords(cell(1, ["a", "b"]), three).kind, "ahead");
  assert.equal(cellWords(cell(1, ["a", "b"]), three).aside, "1 2");
});

test("forfeits, byes, absences and games in play look different", () => {
  const lines = byBot([line(2, "oca", [cell(0, ["lupa"], { how: "forfeit" })])]);
  assert.equal(cellWords(cell(1, ["oca"], { how: "forfeit" }), lines).text, "1+");
  assert.equal(cellWords(cell(0, ["oca"], { how: "forfeit" }), byBot([line(2, "oca", [cell(1, ["x"])])])).text, "0−");
  assert.deepEqual(cellWords(cell(1, [], { how: "pairing-bye" }), lines), { text: "1", aside: "bye", title: "round 1: bye, 1 point", kind: "bye" });
  assert.equal(cellWords(cell(0.5, [], { how: "half-bye" }), lines).text, "½");
  assert.equal(cellWords(cell(0, [], { how: "absent" }), lines).aside, "out");
  assert.equal(cellWords(cell(null, ["oca"], { how: "", colour: "white" }), lines).kind, "open");
  assert.equal(cellWords(undefined, lines).kind, "none");
});

test("rounds have columns unless they are unknown or too many", () => {
  const standings = [line(1, "a", [cell(1, ["b"])])];
  assert.deepEqual(roundsShown({ round: 2, rounds: 4, standings }, 40), [1, 2, 3, 4]);
  assert.deepEqual(roundsShown({ round: 2, rounds: null, standings }, 40), [1, 2]);
  assert.deepEqual(roundsShown({ round: 41, rounds: null, standings }, 40), []);
  assert.deepEqual(roundsShown({ round: 2, rounds: 4, standings: [line(1, "a", [])] }, 40), []);
});

test("bots that share a rank have places of their own, or nobody could say who was met", () => {
  const level = byBot([line(1, "a", []), line(1, "b", []), line(1, "c", [])]);
  assert.deepEqual([...level.values()].map(({ place }) => place), [1, 2, 3]);
  assert.equal(cellWords(cell(1, ["c"], { colour: "white" }), level).aside, "w3");
});

test("of a race in which all meet all, no places are listed", () => {
  const lines = byBot(["a", "b", "c", "d"].map((bot) => line(1, bot, [])));
  assert.equal(cellWords(cell(null, ["b", "c", "d"], { how: "" }), lines).aside, "");
  assert.equal(cellWords(cell(null, ["b", "c"], { how: "" }), lines).aside, "2 3");
});

test("a seat is called what the game calls it", () => {
  const own = cell(1, ["oca"], { colour: "white" });
  const lines = byBot([line(1, "lupa", [own]), line(2, "oca", [cell(0, ["lupa"], { colour: "black" })])]);
  assert.equal(cellWords(own, lines, ["black", "white"]).aside, "b2");
  assert.match(cellWords(own, lines, ["black", "white"]).title, /with black/);
});
