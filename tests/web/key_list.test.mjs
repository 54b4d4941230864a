/** The list of keys names every key that a view hears. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { keysOf } from "../../server/palio_server/web/lib/key_list.js";
import { ACTS } from "../../server/palio_server/web/lib/play_keys.js";
import { LETTERS } from "../../server/palio_server/web/lib/shortcuts.js";
import { ROUTES } from "../../server/palio_server/web/lib/routes.js";

const keysIn = (view, bare = false) => keysOf(view, bare).flatMap(({ keys }) => keys.map(([key]) => key));

test("every view has the list, with what is heard everywhere", () => {
  for (const { view } of ROUTES) {
    const keys = keysIn(view);
    for (const letter of Object.keys(LETTERS)) assert.ok(keys.includes(`g ${letter}`), `${view}: g ${letter}`);
    assert.ok(keys.includes("/") && keys.includes("?"), view);
  }
});

test("every key of play is listed there", () => {
  const keys = keysIn("play");
  for (const key of Object.keys(ACTS)) assert.ok(keys.includes(key), key);
  assert.ok(keys.includes("1…9"));
  assert.ok(keys.includes("p"));
});

test("where there is no head, its keys are not listed", () => {
  assert.ok(!keysIn("tv", true).includes("/"));
  assert.ok(keysIn("tv", true).includes("?"));
});

test("no key is listed twice for one view", () => {
  for (const { view, bare } of ROUTES) {
    const keys = keysIn(view, Boolean(bare));
    assert.deepEqual(keys, [...new Set(keys)], view);
  }
});
