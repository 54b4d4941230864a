/** A match plays like a film, on a clock of the test's own: speeds, pauses, the end, a hidden page, a live match. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Player, delay, faster } from "../../server/palio_server/web/lib/player.js";

/** Timers whose time passes when the test says so. */
class Time {
  now = 0;
  waiting = [];
  setTimeout = (action, ms) => {
    const timer = { action, at: this.now + ms };
    this.waiting.push(timer);
    return timer;
  };
  clearTimeout = (timer) => {
    this.waiting = this.waiting.filter((each) => each !== timer);
  };
  pass(ms) {
    const until = this.now + ms;
    for (;;) {
      const next = this.waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.clearTimeout(next);
      this.now = next.at;
      next.action();
    }
    this.now = until;
  }
}

function playing({ ply = 0, last = 4, over = true, ms = 50 } = {}) {
  const time = new Time();
  const look = { ply, last, over, lines: Array.from({ length: last }, () => ({ ms })) };
  const states = [];
  const step = (to) => (look.ply = to === "first" ? 0 : to);
  const player = new Player({ look: () => look, step, onChange: (state) => states.push(state), timers: time });
  return { time, look, player, states };
}

test("it plays a ply a second to the end, and stops there", () => {
  const { time, look, player } = playing();
  player.play();
  time.pass(999);
  assert.equal(look.ply, 0);
  time.pass(1);
  assert.equal(look.ply, 1);
  time.pass(3000);
  assert.deepEqual([look.ply, player.state.playing], [4, false]);
  assert.equal(time.waiting.length, 0);
});

test("another speed counts from the ply that is shown", () => {
  const { time, look, player } = playing();
  player.at(4);
  player.play();
  time.pass(500);
  assert.equal(look.ply, 2);
  player.faster(-1);
  time.pass(499);
  assert.equal(look.ply, 2);
  time.pass(1);
  assert.equal(look.ply, 3);
});

test("as played, each move takes its time, within reason", () => {
  assert.equal(delay("played", { ms: 700 }), 700);
  assert.equal(delay("played", { ms: 3 }), 80);
  assert.equal(delay("played", { ms: 90_000 }), 10_000);
  assert.equal(delay("played", { ms: null }), 400);
  assert.equal(delay(2, { ms: 90_000 }), 500);
});

test("speeds end at the slowest and at as played", () => {
  assert.equal(faster(1, -1), 1);
  assert.equal(faster(1, 1), 2);
  assert.equal(faster(4, 1), "played");
  assert.equal(faster("played", 1), "played");
});

test("from the end of a finished match it begins again", () => {
  const { time, look, player } = playing({ ply: 4 });
  player.play();
  assert.equal(look.ply, 0);
  time.pass(2000);
  assert.equal(look.ply, 2);
});

test("repeated, the end is shown for a while and then the beginning", () => {
  const { time, look, player } = playing({ last: 2 });
  player.loop();
  player.play();
  time.pass(2000);
  assert.deepEqual([look.ply, player.state.playing], [2, true]);
  time.pass(1999);
  assert.equal(look.ply, 2);
  time.pass(1);
  assert.equal(look.ply, 0);
  time.pass(1000);
  assert.equal(look.ply, 1);
});

test("a pause keeps the ply, and a hidden page waits", () => {
  const { time, look, player } = playing();
  player.play();
  time.pass(1000);
  player.toggle();
  time.pass(60_000);
  assert.equal(look.ply, 1);
  player.toggle();
  player.hide(true);
  time.pass(60_000);
  assert.equal(look.ply, 1);
  player.hide(false);
  time.pass(1000);
  assert.equal(look.ply, 2);
});

test("of a running match it ends at the newest ply, which is followed from there", () => {
  const { time, look, player } = playing({ over: false, last: 2 });
  player.loop();
  player.play();
  time.pass(1000);
  look.last = 3; // it went on
  look.lines.push({ ms: 5 });
  time.pass(2000);
  assert.deepEqual([look.ply, player.state.playing], [3, false]);
  player.play();
  assert.equal(player.state.playing, false); // there is nothing to play
});

test("a match without a ply has nothing to play", () => {
  const { player } = playing({ last: 0 });
  player.play();
  assert.equal(player.state.playing, false);
});
