/** Refused moves are counted by seat; of last words the end is kept. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastWords, refusedBefore, strikesOf } from "../../server/palio_server/web/lib/refusals.js";

test("each seat's refused moves are counted by themselves", () => {
  const refusals = [{ seat: 0 }, { seat: 1 }, { seat: 0 }];
  const counts = refusedBefore(refusals);
  assert.deepEqual(refusals.map((each) => counts.get(each)), [1, 1, 2]);
});

test("how many are allowed is what the setup says, else what the referee said", () => {
  assert.equal(strikesOf({ strikes_left: 1 }, 2, 5), 5);
  assert.equal(strikesOf({ strikes_left: 1 }, 2, null), 3);
  assert.equal(strikesOf({ strikes_left: null }, 2, null), null);
});

test("of a long traceback the last lines are shown", () => {
  assert.deepEqual(lastWords("one\n\ntwo  \n"), ["one", "two"]);
  assert.equal(lastWords(Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n")).at(-1), "line 29");
  assert.equal(lastWords("x\n".repeat(30)).length, 8);
  assert.deepEqual(lastWords(null), []);
});
