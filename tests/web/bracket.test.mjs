/** A bracket is drawn so that every match stands between those that feed it, and no two boxes touch. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { boxWidth, comer, foremost, isOpen, layout, liveRound, pairingOf, SIZE, spread, wayOf } from "../../server/palio_server/web/lib/bracket.js";

const match = (id, bots, more = {}) => ({ id, bots, seeds: [null, null], scores: [0, 0], sources: ["", ""], losers: false, winner: null, decided: "", encounters: [], ...more });

/** A full bracket of 2 ** rounds bots, none of whose matches has been played. */
function full(rounds) {
  const made = [];
  for (let round = 0; round < rounds; round++) {
    const count = 2 ** (rounds - 1 - round);
    const sources = (index) => (round ? [`${round - 1}-${2 * index}`, `${round - 1}-${2 * index + 1}`] : ["", ""]);
    made.push({ title: `round ${round}`, number: round + 1, matches: Array.from({ length: count }, (_, index) => match(`${round}-${index}`, [null, null], { sources: sources(index) })) });
  }
  return { rounds: made, third_place: null };
}

test("each match stands half-way between its sources", () => {
  for (const rounds of [1, 2, 3, 4, 5]) {
    const { boxes } = layout(full(rounds));
    const at = new Map(boxes.map((box) => [box.match.id, box]));
    assert.equal(boxes.length, 2 ** rounds - 1);
    for (const { match: drawn, y } of boxes) {
      const [above, below] = drawn.sources.map((id) => at.get(id)?.y);
      if (above !== undefined && below !== undefined) assert.equal(y, (above + below) / 2);
    }
  }
});

test("no boxes overlap and all are within the plane, the third place too", () => {
  const bracket = { ...full(4), third_place: match("third place", [null, null], { losers: true }) };
  const { boxes, third, width, height } = layout(bracket);
  const all = [...boxes, third];
  for (const a of all) {
    assert.ok(a.x >= 0 && a.y >= 0 && a.x + SIZE.width <= width && a.y + SIZE.height <= height);
    for (const b of all) assert.ok(a === b || Math.abs(a.x - b.x) >= SIZE.width || Math.abs(a.y - b.y) >= SIZE.height);
  }
});

test("matches that are not listed in the order of the tree are drawn without crossing lines", () => {
  const bracket = full(2);
  bracket.rounds[1].matches[0].sources.reverse();
  const { boxes } = layout(bracket);
  assert.deepEqual(boxes.filter(({ round }) => round === 0).map(({ match: drawn }) => drawn.id), ["0-1", "0-0"]);
});

test("somebody who enters later has no line, and a match without any source has a place of its own", () => {
  const rounds = [
    { title: "first", number: 1, matches: [match("a", ["x", "y"], { winner: "x" })] },
    { title: "last", number: 2, matches: [match("b", ["z", "x"], { sources: ["", "a"] }), match("c", ["u", "v"])] },
  ];
  const { boxes, lines } = layout({ rounds, third_place: null });
  assert.deepEqual(lines.map(({ bot }) => bot), ["x"]);
  assert.equal(new Set(boxes.filter(({ round }) => round === 1).map(({ y }) => y)).size, 2);
});

test("who is to come is named by the match before", () => {
  assert.equal(comer(match("final", [null, null], { sources: ["semi-final 1", "semi-final 2"] }), 1), "winner of semi-final 2");
  assert.equal(comer(match("third place", [null, null], { sources: ["semi-final 1", "semi-final 2"], losers: true }), 0), "loser of semi-final 1");
  assert.equal(comer(match("a", ["x", null], { decided: "bye" }), 1), "bye");
});

test("the live round is the first with an open match, and the foremost bot has won or come to the last", () => {
  const bracket = full(2);
  const [[first, second], [last]] = bracket.rounds.map(({ matches }) => matches);
  assert.equal(liveRound(bracket), 0, "nothing is open: the bracket is read from its beginning");
  assert.equal(foremost(bracket), null);
  Object.assign(first, { bots: ["x", "y"], winner: "y" });
  Object.assign(second, { bots: ["u", "v"] });
  assert.equal(liveRound(bracket), 0);
  Object.assign(second, { winner: "u" });
  last.bots = ["y", "u"];
  assert.equal(liveRound(bracket), 1);
  Object.assign(second, { winner: null });
  last.bots = ["y", null];
  assert.equal(foremost(bracket), "y");
  assert.deepEqual([first, second, last].map(isOpen), [false, true, false]);
  assert.deepEqual(wayOf(bracket, "y").map(({ id }) => id), ["0-0", "1-0"]);
  Object.assign(second, { winner: "u" });
  Object.assign(last, { bots: ["y", "u"], winner: "u" });
  assert.equal(foremost(bracket), "u");
});

test("a bracket with room fills it, as far as its boxes can be read; without, it keeps its size and is scrolled", () => {
  assert.equal(spread(3, 400), SIZE.across);
  assert.equal(spread(3, 900), 312);
  assert.equal(spread(2, 4000), SIZE.widest);
  for (const across of [SIZE.across, 312]) {
    const { boxes, width } = layout(full(3), across);
    assert.equal(Math.max(...boxes.map(({ x }) => x)) + boxWidth(across), width);
  }
  assert.equal(layout(full(3), 312).width, 900);
});

test("where two bots meet now is their last pairing", () => {
  const bracket = { rounds: [{ title: "semi-finals", number: 1, matches: [match("semi-final 1", ["a", "b"])] }, { title: "final", number: 2, matches: [match("final", ["a", null])] }], third_place: match("third place", ["b", "c"]) };
  assert.equal(pairingOf(bracket, ["b", "a"])?.id, "semi-final 1");
  assert.equal(pairingOf(bracket, ["c", "b"])?.id, "third place");
  assert.equal(pairingOf(bracket, ["a", "c"]), undefined);
});
