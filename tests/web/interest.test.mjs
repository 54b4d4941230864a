/** Which match is worth the large board, and how that is said. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING, interest, reasons, why } from "../../server/palio_server/web/lib/interest.js";

const entry = (told = [], { match = "m", bots = ["ann", "bob"], game = "nim" } = {}) => ({ told, summary: { match, game, seats: bots.map((bot) => ({ bot })) } });
const known = (places = {}, ratings = {}) => ({ places: new Map(Object.entries(places)), ratings: { nim: ratings } });
const words = (...args) => reasons(...args).map((reason) => reason.words);

test("nothing known, nothing said", () => {
  assert.deepEqual(words(entry(), NOTHING), []);
  assert.equal(why(entry(), NOTHING, 3), "Shown because it has been played longest.");
  assert.equal(why(entry(), NOTHING, 0), "Shown because it is the only match.");
});

test("the top board comes before everything that bots say", () => {
  const places = known({ m: { round: 5, board: 1, leader: true } });
  assert.equal(why(entry([[1], [1]]), places, 7), "Shown because it is the round’s top board, and the leader plays.");
  assert.deepEqual(words(entry(), known({ m: { round: 5, board: 2, leader: false } })), []);
});

test("a proof, a turn and a disagreement are told by the scores, in any unit", () => {
  assert.deepEqual(words(entry([[3], [999_990]]), NOTHING)[0], "bob has proven a win");
  assert.deepEqual(words(entry([[3, -4], [0]]), NOTHING), ["ann was ahead and no longer is"]);
  assert.deepEqual(words(entry([[0], [-300, 250]]), NOTHING), ["the match turns for bob"]);
  assert.deepEqual(words(entry([[2], [3]]), NOTHING), ["the bots disagree: each thinks that it is ahead"]);
  assert.deepEqual(words(entry([[-2], [-3]]), NOTHING), ["the bots disagree: each thinks that it is behind"]);
  assert.deepEqual(words(entry([[2, 3], [-3]]), NOTHING), [], "they agree");
  assert.deepEqual(words(entry([[0.1, -0.1], [0.1]]), NOTHING), [], "next to nothing");
});

test("the closer the ratings, the better; of equals the stronger; unknown ones say nothing", () => {
  const ratings = known({}, { ann: 1500, bob: 1512, cid: 1900, dan: 1912, eve: 1901 });
  const value = (...bots) => interest(entry([], { bots }), ratings);
  assert.deepEqual(words(entry(), ratings), ["their ratings are 12 points apart"]);
  assert.deepEqual(words(entry([], { bots: ["cid", "eve"] }), ratings), ["their ratings are 1 point apart"]);
  assert.ok(value("cid", "eve") > value("ann", "bob"));
  assert.ok(value("cid", "dan") > value("ann", "bob"));
  assert.ok(value("ann", "bob") > value("ann", "cid"));
  assert.deepEqual(words(entry([], { bots: ["ann", "zoe"] }), ratings), []);
  assert.deepEqual(words(entry([], { bots: ["ann"] }), ratings), []);
});
