/** What the form posts, and where it shows a refusal. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventRequest, fieldOf, noSuchTime } from "../../server/palio_server/web/lib/event_request.js";

const GAME = { name: "breakthrough", options: [{ name: "rows" }] };
const SWISS = { name: "swiss", title: "Swiss", rules: { rounds: 7, games_per_encounter: null, scoring: "games", tie_breaks: [], strict: true } };

function filled(fields) {
  const data = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) data.append(name, value);
  return data;
}

test("only what was filled in or changed is posted", () => {
  const untouched = filled({ name: " Cup ", bot: ["ann", "bob"], "rule scoring": "games", "rule strict": "on", "rule rounds": "", tc: "", when: "later" });
  assert.deepEqual(eventRequest(GAME, SWISS, untouched), { name: "Cup", game: "breakthrough", format: "swiss", rules: {}, options: {}, bots: ["ann", "bob"], admits: "listed" });
});

test("rules have the types that they have in JSON", () => {
  const changed = filled({ name: "Cup", "rule rounds": "5", "rule tie_breaks": "buchholz, wins", "rule scoring": "encounters", "option rows": "8", tc: "10+0.1", seed: "7", opening_plies: "2", admits: "open", when: "now" });
  const body = eventRequest(GAME, SWISS, changed);
  assert.deepEqual(body.rules, { rounds: 5, scoring: "encounters", tie_breaks: ["buchholz", "wins"], strict: false });
  assert.deepEqual([body.options, body.tc, body.seed, body.openings, body.admits, body.start], [{ rows: "8" }, "10+0.1", 7, "2", "open", true]);
});

test("a start at a time is told with its zone, and only if that was chosen", () => {
  assert.match(eventRequest(GAME, SWISS, filled({ name: "Cup", when: "at", starts_at: "2026-05-12T14:00" })).starts_at, /^2026-05-1\dT.*Z$/);
  assert.equal("starts_at" in eventRequest(GAME, SWISS, filled({ name: "Cup", when: "now", starts_at: "2026-05-12T14:00" })), false);
});

test("a refusal belongs to the field whose name it has; the longest name wins", () => {
  const names = ["name", "game", "format", "rule games_per_encounter", "rule rounds", "tc", "option rows"].map((name) => [name, ""]);
  assert.equal(fieldOf("swiss: rounds must be at least 1", names), "rule rounds");
  assert.equal(fieldOf("games-per-encounter of this game is 1 or 2", names), "rule games_per_encounter");
  assert.equal(fieldOf("rows: 99 is more than 20", names), "option rows");
  assert.equal(fieldOf("the server is full; try again later", names), "");
});

test("a refusal that quotes what was written belongs to the field where it was", () => {
  const fields = [["name", "Cup"], ["game", "breakthrough"], ["tc", "10+"], ["st", ""]];
  assert.equal(fieldOf("'10+' is no time control; write seconds+increment, whatever the name of the game", fields), "tc");
});

test("a time that the clock skips is refused with a sentence", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  try {
    assert.match(noSuchTime("2026-03-29T02:30"), /^2026-03-29 02:30 does not exist here/);
    assert.equal(noSuchTime("2026-03-29T03:30"), "");
    assert.equal(noSuchTime("2026-10-25T02:30"), "");
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
