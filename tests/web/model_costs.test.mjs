import assert from "node:assert/strict";
import { test } from "node:test";

import { costFacts, money, tokens } from "../../server/palio_server/web/lib/model_costs.js";

test("dollars have as few digits as tell something", () => {
  const written = [0, 12.4, 1, 0.5, 0.035, 0.00214, 0.0000021, 0.00000001].map(money);
  assert.deepEqual(written, ["$0", "$12.40", "$1.00", "$0.5", "$0.035", "$0.0021", "$0.0000021", "less than $0.000001"]);
});

test("tokens are told as far as they are known", () => {
  assert.equal(tokens(12_345.4, 85), "12.3k + 85 tokens");
  assert.equal(tokens(null, 85), "85 tokens");
  assert.equal(tokens(null, undefined), "");
});

test("the facts of a move are those that were told", () => {
  assert.deepEqual(costFacts({}), []);
  assert.deepEqual(costFacts({ tokens_in: 900, tokens_out: 30, cost: 0.002, latency_ms: 1500 }), ["900 + 30 tokens", "$0.002", "answered in 1.50 s"]);
});
