/** What the hall's screen knows besides the matches. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN, aboutOf, placesOf } from "../../server/palio_server/web/lib/use_hall.js";

const ALL = { boards: 4, pins: [], event: null, game: "", bot: "" };
const entry = (match, game, tournament, ended = Infinity) => [match, { ended, summary: { match, game, tournament, seats: [] } }];
const feed = (...entries) => ({ matches: new Map(entries), finished: 2, snapshots: 1, count: 5 });

test("the event of all matches is shown, and stays between its rounds", () => {
  const about = aboutOf(UNKNOWN, feed(entry("a", "nim", 7), entry("b", "nim", 7)), ALL);
  assert.deepEqual(about, { event: 7, games: "nim", running: 2, version: 8 });
  assert.deepEqual(aboutOf(about, feed(entry("a", "nim", 7, 100)), ALL), { ...about, running: 0 });
  assert.equal(aboutOf(about, feed(entry("a", "nim", 7), entry("c", "chess", null)), ALL).event, null);
  assert.equal(aboutOf(about, feed(entry("a", "nim", 7), entry("b", "nim", 7)), ALL), about, "nothing new, nothing drawn");
  assert.equal(aboutOf(about, null, ALL), about);
});

test("a match has the place of its encounter; the leader is who leads alone, after a game", () => {
  const places = (standings) =>
    placesOf({ standings }, { round: 5, encounters: [{ board: 1, bots: ["ann", "bob"], matches: [{ match: "a" }, { match: "b" }] }, { board: 2, bots: ["cid"], matches: [] }] });
  const first = (bot, played = 4) => ({ rank: 1, bot, played });
  assert.deepEqual([...places([first("ann")])], [["a", { round: 5, board: 1, leader: true }], ["b", { round: 5, board: 1, leader: true }]]);
  assert.equal(places([first("ann"), first("cid")]).get("a").leader, false);
  assert.equal(places([first("ann", 0)]).get("a").leader, false);
  assert.equal(placesOf(null, null).size, 0);
});
