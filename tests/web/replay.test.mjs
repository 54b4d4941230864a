/** Stepping stays within the match, and arriving at the newest position means following it again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE, around, byPly, complete, move, plyAsked, rows, viewAt } from "../../server/palio_server/web/lib/replay.js";

const range = { first: 0, last: 3 };
const view = (ply) => ({ ply });

test("a step back from the newest is the ply before it, and back again follows", () => {
  assert.equal(move(LIVE, "back", range), 2);
  assert.equal(move(2, "on", range), LIVE);
});

test("steps stay between the first and the last position", () => {
  assert.equal(move(0, "back", range), 0);
  assert.equal(move(LIVE, "on", range), LIVE);
  assert.equal(move(LIVE, "first", range), 0);
  assert.equal(move(1, "live", range), LIVE);
  assert.equal(move(LIVE, 2, range), 2);
  assert.equal(move(1, 3, range), LIVE);
  assert.equal(move(1, -5, range), 0);
});

test("a cursor stays where it is while the match goes on", () => {
  assert.equal(move(2, "on", { first: 0, last: 9 }), 3);
});

test("a match without a ply has nowhere to step", () => {
  for (const step of ["back", "on", "first", "live"]) assert.equal(move(LIVE, step, { first: 0, last: 0 }), LIVE);
});

test("the view is the exact one, else the nearest before it, else the newest", () => {
  const views = byPly([view(0), view(2), view(5)]);
  assert.equal(viewAt(views, 2, view(5)).ply, 2);
  assert.equal(viewAt(views, 4, view(5)).ply, 2);
  assert.equal(viewAt(views, LIVE, view(5)).ply, 5);
  assert.equal(viewAt({ 5: view(5) }, 3, view(5)).ply, 5);
});

test("a race's view without a scene looks like that entrant's last one", () => {
  const [along, across] = [{ path: [1] }, { path: [2] }];
  const shown = byPly([
    { ply: 0, seat: 0, scene: along },
    { ply: 1, seat: 1, scene: across },
    { ply: 2, seat: 0, scene: null },
    { ply: 3, seat: 1, scene: null },
  ]);
  assert.deepEqual(Object.values(shown).map(({ scene }) => scene), [along, across, along, across]);
  assert.equal(byPly([{ ply: 0, scene: along }, { ply: 1, scene: null }])[1].scene, null);
});

test("a hole in the positions is noticed", () => {
  assert.equal(complete(byPly([view(0), view(1)]), 0, 1), true);
  assert.equal(complete(byPly([view(0), view(2)]), 0, 2), false);
});

test("a rejected move stands before the line that was played instead", () => {
  const lines = [{ ply: 1 }, { ply: 2 }];
  const refusals = [{ ply: 0, move: "x" }, { ply: 1, move: "y" }, { ply: 1, move: "z" }, { ply: 2, move: "w" }];
  const shown = rows(lines, refusals).map((row) => row.line?.ply ?? row.rejection.move);
  assert.deepEqual(shown, ["x", 1, "y", "z", 2, "w"]);
});

test("a long list is cut to the part around the ply that is shown", () => {
  const all = Array.from({ length: 10 }, (_, i) => ({ kind: "line", line: { ply: i + 1 } }));
  const cut = (ply, most) => {
    const { part, before, after } = around(all, ply, most);
    return [part.map((row) => row.line.ply), before, after];
  };
  assert.deepEqual(cut(5, 10), [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0, 0]);
  assert.deepEqual(cut(1, 4), [[1, 2, 3, 4], 0, 6]);
  assert.deepEqual(cut(6, 4), [[4, 5, 6, 7], 3, 3]);
  assert.deepEqual(cut(10, 4), [[7, 8, 9, 10], 6, 0]);
});

test("an address asks for a ply, or for none", () => {
  const asked = (text) => plyAsked(new URLSearchParams(text));
  assert.equal(asked("ply=45"), 45);
  for (const text of ["", "ply=", "ply=-1", "ply=x", "ply=1.5", "ply=99999999"]) assert.equal(asked(text), LIVE);
  assert.equal(plyAsked(undefined), LIVE);
});
