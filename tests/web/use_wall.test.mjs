/** Small boards are drawn by turns, at most four times a second each. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { missing, redrawn } from "../../server/palio_server/web/lib/use_wall.js";

const PLACES = [..."abcdefghi"]; // one more than are drawn in turn
const card = (match, ply, over = Infinity) => ({ entry: { summary: { match, view: { ply } } }, over, gone: Infinity });
const wall = (...slots) => ({ hero: null, slots, waiting: 0 });
const empty = { wall: wall(), slots: [], feed: null, status: "live", why: "" };
const draw = (before, slots, phase) => redrawn(before, { wall: wall(...slots), feed: null, status: "live" }, phase);

test("a new move waits for the turn of its place", () => {
  let drawn = draw(empty, PLACES.map((name) => card(name, 1)), 0);
  const next = PLACES.map((name) => card(name, 2));
  const plies = () => drawn.slots.map(({ entry }) => entry.summary.view.ply);
  drawn = draw(drawn, next, 1);
  assert.deepEqual(plies(), [1, 2, 1, 1, 1, 1, 1, 1, 1]);
  drawn = draw(drawn, next, 0);
  assert.deepEqual(plies(), [2, 2, 1, 1, 1, 1, 1, 1, 2]);
});

test("another match and a result are drawn at once", () => {
  const drawn = draw(draw(empty, [card("a", 1), card("b", 1), null], 0), [card("new", 0), card("b", 1, 500), card("c", 0)], 3);
  assert.deepEqual(drawn.slots.map(({ entry, over }) => [entry.summary.match, over]), [["new", Infinity], ["b", 500], ["c", Infinity]]);
});

test("what is gone without a result is missing, the large match, too", () => {
  const [hero, small, over] = [{ ...card("h", 3), gone: 500 }, { ...card("s", 2), gone: 0 }, card("o", 9, 400)];
  assert.deepEqual(missing({ ...wall(small, null, over), hero }), ["h", "s"]);
  assert.deepEqual(missing({ ...wall(over), hero: null }), []);
});

test("nothing new draws nothing", () => {
  const slots = [card("a", 1), null];
  const drawn = draw(empty, slots, 0);
  assert.equal(draw(drawn, slots, 0), drawn);
  assert.notEqual(redrawn(drawn, { wall: wall(...slots), feed: null, status: "lost", why: "" }, 0), drawn);
});
