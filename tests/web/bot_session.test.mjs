/** The bot protocol in the browser: turns sent again are answered again, and only once played. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, draw, hear, hello, isTimed, play, ready, resign, wanted } from "../../server/palio_server/web/lib/bot_session.js";

const WHO = { name: "guest-1", token: "t", game: "dominoes" };
const GAME = { type: "game", match: "m", game: "dominoes", options: {}, setup: "s0", seat: 1, seats: [{ name: "vertical", bot: "b" }, { name: "horizontal", bot: "guest-1" }], time: {}, strikes: 100 };
const turn = (id, state = `s${id}`) => ({ type: "turn", match: "m", id, ply: id, state, moves: null, clocks_ms: [null, null], limit_ms: null });

const story = (...messages) => messages.reduce(({ session, say }, message) => {
  const heard = hear(session, message);
  return { session: heard.session, say: [...say, ...heard.say] };
}, { session: begin(WHO), say: [] });

test("hello names the guest, and what is to be resumed", () => {
  assert.deepEqual(hello(begin(WHO)), { type: "hello", name: "guest-1", token: "t", games: ["dominoes"], without: ["moves"] });
  assert.equal(hello(story({ type: "welcome", session: "x", server: "p" }).session).resume, "x");
});

test("a game is answered with ready, each time it is told", () => {
  const { session, say } = story(GAME, GAME);
  assert.deepEqual(say, [{ type: "ready", match: "m" }, { type: "ready", match: "m" }]);
  assert.equal(session.stage, "playing");
  assert.ok(!wanted(session));
});

test("with a clock a person says ready, once; told again after a lost connection, it is said again", () => {
  const timed = { ...GAME, time: { base_ms: 60_000, increment_ms: 0, move_ms: null } };
  const { session, say } = story(timed, timed);
  assert.deepEqual([say, session.ready, session.stage], [[], false, "playing"]);
  const said = ready(session);
  assert.deepEqual(said.say, [{ type: "ready", match: "m" }]);
  assert.equal(ready(said.session), null);
  assert.deepEqual(hear(said.session, timed).say, said.say);
  assert.equal(hear(said.session, { ...timed, match: "n" }).session.ready, false);
  assert.equal(ready(begin(WHO)), null);
});

test("who is asked is ready, as after a reload", () => {
  const { session } = story({ ...GAME, time: { base_ms: 1, increment_ms: 0, move_ms: null } }, turn(1));
  assert.ok(session.ready);
  assert.deepEqual([{}, { base_ms: null, move_ms: null }, { base_ms: 1 }, { move_ms: 5 }].map(isTimed), [false, false, true, true]);
});

test("a turn is played once; sent again, it gets the same answer", () => {
  const { session } = story(GAME, turn(1));
  assert.ok(wanted(session));
  const played = play(session, [0, 1]);
  assert.deepEqual(played.say, [{ type: "move", match: "m", id: 1, move: [0, 1] }]);
  assert.equal(play(played.session, [2, 3]), null);
  assert.ok(!wanted(played.session));
  assert.deepEqual(hear(played.session, turn(1)).say, played.say);
  const over = hear(played.session, { type: "played", match: "m", ply: 2, seat: 1, move: [0, 1], clocks_ms: [] }).session;
  assert.equal(over.turn, null);
  assert.deepEqual(over.made, [{ state: "s1", move: [0, 1] }]);
});

test("another's move changes nothing of our turn", () => {
  const { session } = story(GAME, turn(1), { type: "played", match: "m", ply: 1, seat: 0, move: 1, clocks_ms: [] });
  assert.ok(wanted(session));
});

test("a rejected move may be made again, with the referee's words", () => {
  const { session } = story(GAME, turn(1));
  const { session: after } = hear(play(session, "bad").session, { type: "rejected", match: "m", id: 1, code: "c", reason: "no", strikes_left: 2, clocks_ms: [] });
  assert.deepEqual(after.rejected, { reason: "no", left: 2 });
  assert.deepEqual(after.made, []);
  assert.ok(wanted(after));
  assert.equal(hear(after, { type: "rejected", match: "m", id: 0, code: "c", reason: "old", strikes_left: 2 }).session, after);
});

const DRAWS = { ...GAME, draw_offers: true };
const DRAW = [{ type: "draw", match: "m" }];
const offered = (seat) => ({ type: "draw_offered", match: "m", seat });
const played = (seat) => ({ type: "played", match: "m", ply: 1, seat, move: 1, clocks_ms: [] });

test("a draw is offered only where the game says so", () => {
  assert.deepEqual(draw(begin(WHO)), []);
  assert.deepEqual(draw(story(GAME).session), []);
  assert.deepEqual(draw(story(DRAWS).session), DRAW);
  assert.deepEqual(draw(story({ ...DRAWS, time: { base_ms: 1 } }).session), [], "before the clock runs");
  assert.deepEqual(draw(story(DRAWS, { type: "over", match: "m", outcome: {} }).session), []);
});

test("an own offer stands until the other moves, and the next one comes after an own move", () => {
  const own = story(DRAWS, turn(1), offered(1)).session;
  assert.equal(own.offer, 1);
  assert.deepEqual(draw(own), []);
  const kept = hear(own, played(1)).session;
  assert.equal(kept.offer, 1, "our own move keeps it");
  assert.deepEqual(draw(kept), [], "it stands still");
  assert.deepEqual(draw(hear(kept, played(0)).session), DRAW);
  const declined = hear(own, played(0)).session;
  assert.equal(declined.offer, null);
  assert.deepEqual(draw(declined), []);
});

test("the other's offer is accepted, also after an own one, and an own move declines it", () => {
  const both = story(DRAWS, turn(1), offered(1), played(0), offered(0)).session;
  assert.deepEqual([both.offer, draw(both)], [0, DRAW]);
  assert.equal(hear(both, played(1)).session.offer, null);
  assert.equal(hear(both, offered(1)).session.offer, 1);
});

test("a match that is told again has no offer until it is told, too; what the server refuses is not offered again", () => {
  assert.equal(story(DRAWS, offered(0), DRAWS).session.offer, null);
  assert.equal(story(DRAWS, offered(0), DRAWS, offered(0)).session.offer, 0);
  assert.deepEqual(draw(story(DRAWS, { type: "error", code: "draw-offered", reason: "no" }).session), []);
  assert.equal(story(DRAWS, { ...offered(0), match: "n" }).session.offer, null);
});

test("after the end nothing is played, and the next game begins afresh", () => {
  const { session } = story(GAME, turn(1), { type: "over", match: "m", outcome: { termination: "rule", reason: "r", scores: [1, 0] } });
  assert.equal(session.stage, "over");
  assert.equal(play(session, 1), null);
  assert.deepEqual(resign(session), []);
  const next = hear(session, { ...GAME, match: "n" }).session;
  assert.deepEqual([next.stage, next.outcome, next.start.match], ["playing", null, "n"]);
  assert.equal(hear(next, turn(7)).session, next); // of the former match
});

test("to give up is said once there is something to give up", () => {
  assert.deepEqual(resign(begin(WHO)), []);
  assert.deepEqual(resign(story(GAME).session), [{ type: "resign", match: "m" }]);
});

test("a hello that only came too early is no end", () => {
  const { session } = story({ type: "refused", code: "too-many-hellos", reason: "too often", retry_ms: 2000 });
  assert.deepEqual([session.stage, session.refusal], ["waiting", "too often"]);
});

test("a refused hello says why", () => {
  const { session } = story({ type: "refused", code: "bad-token", reason: "the token is not good" });
  assert.deepEqual([session.stage, session.refusal], ["refused", "the token is not good"]);
});
