/** Who can be played, and what is asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, nameFault, request, strength, stronger } from "../../server/palio_server/web/lib/play_request.js";

const HOUSE = [
  { name: "champion", title: "very strong: searches deep", level: 5, games: ["dominoes"], ratings: {} },
  { name: "random", title: "beginner: plays at random", level: 1, games: ["dominoes", "chexers"], ratings: { dominoes: 612.4 } },
];
const bot = (name, more = {}) => ({ name, connected: true, games: ["dominoes"], instances: 1, slots: 1, playing: 0, transport: "websocket", ...more });
const GAME = { name: "dominoes", kind: "duel", seats: ["vertical", "horizontal"], options: [{ name: "rows" }] };
const CHEXERS = { ...GAME, name: "chexers", kind: "table", seats: ["red", "green", "blue"], options: [] };
const RACE = { ...GAME, name: "tsp", kind: "race", seats: ["solver"], options: [] };

function form(values) {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
}

test("the house comes first, by strength; guests and those who left are not offered", () => {
  const all = candidates("dominoes", HOUSE, [bot("ada"), bot("gone", { connected: false }), bot("guest-1"), bot("busy", { playing: 1 }), bot("other", { games: ["tsp"] })]);
  assert.deepEqual(all.map(({ value }) => value), ["house random", "house champion", "bot ada", "bot busy"]);
  assert.deepEqual(all.map(strength), ["beginner: plays at random · 612", "very strong: searches deep", "connected", "plays now"]);
});

test("the next stronger bot", () => {
  const all = candidates("dominoes", HOUSE, []);
  assert.equal(stronger(all, [{ house: "random" }]).name, "champion");
  assert.equal(stronger(all, [{ house: "champion" }]), null);
  assert.equal(stronger(all, [{ friend: true }]), null);
});

test("what was filled in is asked for, nothing else", () => {
  const all = candidates("dominoes", HOUSE, [bot("ada")]);
  assert.deepEqual(request(GAME, ["house random"], all, form({ seat: "", tc: "" })), { game: "dominoes", opponents: [{ house: "random" }], options: {} });
  assert.deepEqual(request(GAME, ["bot ada"], all, form({ seat: "1", tc: "300+3", "option rows": "4", rated: "on", seed: "7", name: "me" })), {
    game: "dominoes", opponents: [{ bot: "ada" }], options: { rows: "4" }, seat: 1, tc: "300+3", seed: 7, name: "me", rated: true,
  });
});

test("one choice fills a table, a race may be alone", () => {
  const all = candidates("chexers", HOUSE, []);
  assert.deepEqual(request(CHEXERS, ["house random"], all, form({})).opponents, [{ house: "random" }, { house: "random" }]);
  assert.deepEqual(request(CHEXERS, ["house random", "friend"], all, form({})).opponents, [{ house: "random" }, { friend: true }]);
  assert.deepEqual(request(RACE, [], all, form({})).opponents, []);
  assert.deepEqual(request(RACE, [""], all, form({})).opponents, []);
});

test("a name that no guest can have is answered by what one may have", () => {
  assert.equal(nameFault("Прогрессор"), "'Прогрессор' is no name for a guest; use 1 to 27 letters a to z, digits and any of . _ -");
  for (const name of ["a b", "x".repeat(28), "é"]) assert.match(nameFault(name), /^'.+' is no name for a guest; use 1 to 27 letters/);
  for (const name of ["", "ada", "Ada.2_x-y", "x".repeat(27)]) assert.equal(nameFault(name), "");
});
