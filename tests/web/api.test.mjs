/** An answer that says no is shown in the server's own words, if it has any. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence } from "../../server/palio_server/web/lib/api.js";


test("the server's sentence is shown, and the status where there is none", () => {
  const response = { status: 422, statusText: "Unprocessable" };
  assert.equal(sentence({ error: { code: "x", reason: "no such bot" } }, response), "no such bot");
  assert.equal(sentence({ error: "of a proxy" }, response), "the server answered 422 Unprocessable");
  assert.equal(sentence({ error: { reason: 5 } }, response), "the server answered 422 Unprocessable");
  assert.equal(sentence("text", response), "the server answered 422 Unprocessable");
  assert.equal(sentence(null, { status: 502, statusText: "" }), "the server answered 502");
});
