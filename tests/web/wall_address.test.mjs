/** The address of the hall's screen says all that is shown; what it cannot mean is told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, complaints, eventOf, read } from "../../server/palio_server/web/lib/wall_address.js";

const query = (text) => new URLSearchParams(text);
const EVENTS = [{ id: 3, name: "Siena Cup 2026" }, { id: 4, name: "12" }];
const known = (more = {}) => ({ games: [{ name: "dominoes" }], events: EVENTS, fitting: 16, ...more });

test("what is written can be read", () => {
  const asked = { event: "siena-cup-2026", game: "dominoes", bot: "ann & bob", boards: 0, pins: ["m1", "m2"] };
  assert.equal(address(asked), "tv?event=siena-cup-2026&game=dominoes&bot=ann+%26+bob&boards=0&pin=m1,m2");
  assert.deepEqual(read(query(address(asked).split("?")[1])), asked);
  assert.equal(address(read(query(""))), "tv");
});

test("pins are counted once, blanks are none", () => {
  assert.deepEqual(read(query("pin=a,, b ,a")).pins, ["a", "b"]);
});

test("an event is meant by its number, its name, or its name as in addresses", () => {
  assert.deepEqual(["3", "Siena Cup 2026", "siena-cup-2026", "12", "99"].map((name) => eventOf(name, EVENTS)?.id), [3, 3, 3, 4, undefined]);
});

test("what cannot be done is said, once it is known", () => {
  assert.deepEqual(complaints(query("event=3&game=dominoes&boards=9&bot=x&pin=y"), known()), []);
  assert.deepEqual(complaints(query("event=palio&game=chess&boards=40&colour=red"), known()), [
    "“colour” is no setting of this screen.",
    "There is no event “palio”; all matches are shown.",
    "There is no game “chess”; all games are shown.",
    "“40” is no number of boards from 0 to 16.",
  ]);
  assert.deepEqual(complaints(query("event=palio&game=chess"), known({ games: null, events: null })), []);
  assert.deepEqual(complaints(query("boards=12"), known({ fitting: 9 })), ["12 small boards need a larger screen; 9 are shown."]);
});
