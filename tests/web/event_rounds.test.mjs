/** Which round is being played is read off what the bots have made of each: a league plans all its rounds at once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { roundShown, roundState } from "../../server/palio_server/web/lib/event_rounds.js";

const rounds = (...hows) => ({ rounds: hows.map((how, index) => ({ round: index + 1, how })) });
const league = (stage, ...standings) => ({ stage, round: 3, standings });

test("of a league whose rounds are all planned, the first with something to play is the one in play", () => {
  const event = league("running", rounds("played", "", ""), rounds("played", "played", ""));
  assert.equal(roundShown(event), 2);
  assert.deepEqual([1, 2, 3, 4].map((round) => roundState(event, round)), ["over", "now", "to come", "to come"]);
});

test("a round that waits for its pairings leaves the one before in view", () => {
  assert.equal(roundShown(league("running", rounds("played", "played"), rounds("played", "forfeit"))), 2);
});

test("when it is over, the last round in which anybody played is shown, and all that came are over", () => {
  const event = league("finished", rounds("played", "played", ""));
  assert.equal(roundShown(event), 2);
  assert.deepEqual([1, 2, 3].map((round) => roundState(event, round)), ["over", "over", "to come"]);
});

test("without cells the last planned round is all that is known; before the first game it is the first", () => {
  assert.equal(roundShown({ stage: "running", round: 3, standings: [] }), 3);
  assert.equal(roundShown(league("cancelled", rounds("", "", ""))), 1);
  assert.equal(roundShown({ stage: "open", round: 0, standings: [] }), 0);
});
