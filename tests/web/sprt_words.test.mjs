/** A sequential test in words: faults by bot and kind, and the command that plays it again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, faultLines } from "../../server/palio_server/web/lib/sprt_words.js";

const sprt = { first: "new", second: "old", elo0: 0, elo1: 6, alpha: 0.05, beta: 0.05, model: "logistic" };

test("faults are said by bot and kind", () => {
  const faults = [{ bot: "old", termination: "time", games: 3 }, { bot: "new", termination: "crashed", games: 1 }, { bot: "new", termination: "odd", games: 2 }];
  assert.deepEqual(faultLines(faults).map(({ bot, text }) => `${bot}: ${text}`), ["old: 3 games on time", "new: 1 game by a crash", "new: 2 games by odd"]);
});

test("the command has the game's options, both bots, the bounds and the clock", () => {
  const settings = { options: { rows: 8, cols: 8 }, time: "10+0.1", seed: 7 };
  assert.equal(
    commandOf({ game: "breakthrough", settings, sprt }),
    'palio run breakthrough:rows=8,cols=8 \\\n  new=PROGRAM old=PROGRAM \\\n  --sprt "elo0=0 elo1=6 alpha=0.05 beta=0.05 model=logistic" \\\n  --tc 10+0.1 \\\n  --seed 7',
  );
  assert.match(commandOf({ game: "tsp", settings: { options: { name: "it's" }, time: "unlimited" }, sprt }), /^palio run 'tsp:name=it'\\''s' /);
  assert.equal(commandOf({ game: "tsp", settings: {}, sprt: null }), "");
});
