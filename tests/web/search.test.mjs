/** What the search box offers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST, offers } from "../../server/palio_server/web/lib/search.js";

const KNOWN = {
  bots: [{ name: "beaver" }, { name: "ada" }, { name: "Ève" }],
  games: [{ name: "breakthrough", title: "Breakthrough" }],
  events: [{ id: 7, name: "Autumn break" }],
};
const texts = (query, known = KNOWN) => offers(query, known).map(({ kind, text }) => `${kind} ${text}`);

test("names that begin with the words come before those that only have them", () => {
  assert.deepEqual(texts("brea"), ["game Breakthrough", "event Autumn break", "all brea"]);
});

test("case and accents do not matter", () => {
  assert.deepEqual(texts("EVE"), ["bot Ève", "all EVE"]);
});

test("an offer leads to its view, the last one to the results", () => {
  assert.deepEqual(offers(" a", KNOWN).map(({ address }) => address), ["bots/ada", "tournaments/7", "bots/beaver", "games/breakthrough", "results?q=a"]);
});

test("nothing is offered for nothing, and never too much", () => {
  assert.deepEqual(offers("  ", KNOWN), []);
  const many = { ...KNOWN, bots: Array.from({ length: 40 }, (_, i) => ({ name: `bot${i}` })) };
  assert.equal(offers("bot", many).length, MOST + 1);
});
