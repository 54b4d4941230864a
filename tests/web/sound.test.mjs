/** A tick is due when somebody sees a ply more, and not so often that it is a buzz. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDue } from "../../server/palio_server/web/lib/sound.js";

test("one ply on ticks; back, far, hidden or too soon does not", () => {
  const state = { before: 4, ply: 5, hidden: false, since: 500 };
  assert.equal(isDue(state), true);
  for (const other of [{ ply: 4 }, { ply: 3 }, { ply: 9 }, { hidden: true }, { since: 20 }]) assert.equal(isDue({ ...state, ...other }), false);
});
