import assert from "node:assert/strict";
import test from "node:test";

import { day, moment, when } from "../../server/palio_server/web/lib/when.js";

const NOW = new Date(2026, 4, 12, 15, 0, 0).getTime();
const at = (...parts) => new Date(...parts).toISOString();

test("relative below an hour, then the time, then the day", () => {
  assert.equal(when(at(2026, 4, 12, 14, 59, 30), NOW), "just now");
  assert.equal(when(at(2026, 4, 12, 14, 55), NOW), "5 min ago");
  assert.equal(when(at(2026, 4, 12, 9, 5), NOW), "09:05");
  assert.equal(when(at(2026, 4, 11, 23, 59), NOW), "11 May");
  assert.equal(when(at(2025, 4, 11), NOW), "11 May 2025");
});

test("two results of one day differ", () => {
  assert.equal(moment(at(2026, 4, 11, 14, 52), NOW), "11 May, 14:52");
  assert.equal(moment(at(2026, 4, 12, 14, 59), NOW), "14:59");
  assert.equal(day(at(2026, 0, 2), NOW), "2 Jan");
});
