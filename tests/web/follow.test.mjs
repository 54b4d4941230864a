/** A follower gets a fresh snapshot after every loss, gap and long absence, and is patient with a server that is away. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Follower, GONE, SILENCE_MS } from "../../server/palio_server/web/lib/follow.js";
import { Gap } from "../../server/palio_server/web/lib/fold.js";

let world;

class World {
  sockets = [];
  timers = [];
  time = 0;
  luck = 1;

  constructor() {
    const { sockets } = this;
    this.WebSocket = class {
      constructor(url) {
        this.url = url;
        sockets.push(this);
      }
      close() {
        this.closed = true;
      }
      says(message) {
        this.onmessage({ data: JSON.stringify(message) });
      }
      breaks(code = 1006, reason = "") {
        this.onclose({ code, reason });
      }
    };
  }

  get socket() {
    return this.sockets.at(-1);
  }
  now = () => this.time;
  random = () => this.luck;
  setTimeout = (call, ms) => this.timers.push({ call, ms }) - 1;
  clearTimeout = (index) => index !== null && delete this.timers[index];
  get waiting() {
    return this.timers.filter(Boolean);
  }
  wake() {
    const [{ call, ms }] = this.waiting;
    this.timers = [];
    this.time += ms;
    call();
    return ms;
  }
}

/** Counts up: a snapshot sets the number, a delta must be the next one. */
function fold(state, { type, seq }) {
  if (type !== "match" && seq !== state + 1) throw new Gap("hole");
  return seq;
}

function follow(askWhy = undefined) {
  const seen = { states: [], statuses: [], reasons: [] };
  const follower = new Follower({
    url: "ws://x/ws/live/m",
    fold,
    onState: (state) => seen.states.push(state),
    onStatus: (status, why) => {
      if (seen.statuses.at(-1) !== status) seen.statuses.push(status);
      if (why) seen.reasons.push(why);
    },
    askWhy,
    world,
  });
  follower.start();
  return { follower, ...seen };
}

const snapshot = (seq) => ({ type: "match", seq });
const delta = (seq) => ({ type: "played", seq });

beforeEach(() => {
  world = new World();
});

test("a snapshot and its deltas are folded in order", () => {
  const { states, statuses } = follow();
  [snapshot(4), delta(5), delta(6)].forEach((message) => world.socket.says(message));
  assert.deepEqual([states, statuses], [[4, 5, 6], ["connecting", "live"]]);
});

test("a gap cuts the socket and asks for a fresh snapshot", () => {
  const { states, statuses } = follow();
  const first = world.socket;
  [snapshot(4), delta(6)].forEach((message) => first.says(message));
  assert.equal(first.closed, true);
  world.wake();
  world.socket.says(snapshot(8));
  assert.deepEqual([states, statuses], [[4, 8], ["connecting", "live", "lost", "live"]]);
});

test("what a cut socket still says is not heard", () => {
  const { states } = follow();
  const first = world.socket;
  [snapshot(4), delta(6), delta(5)].forEach((message) => first.says(message));
  first.breaks();
  assert.deepEqual(states, [4]);
  assert.equal(world.waiting.length, 1);
});

test("deltas on a new socket before its snapshot are a gap, too", () => {
  const { states } = follow();
  world.socket.says(snapshot(4));
  world.socket.breaks();
  world.wake();
  world.socket.says(delta(5));
  assert.deepEqual(states, [4]);
});

test("waits grow up to a limit while the server is away, and start anew when it answers", () => {
  follow();
  const waits = Array.from({ length: 8 }, () => {
    world.socket.breaks();
    return world.wake();
  });
  assert.deepEqual(waits, [400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
  world.socket.says(snapshot(1));
  world.socket.breaks();
  assert.equal(world.wake(), 400);
});

test("waits have jitter, so that viewers do not come back all at once", () => {
  follow();
  world.luck = 0;
  world.socket.breaks();
  assert.equal(world.wake(), 200);
});

test("a match that is not known is not asked for again", () => {
  const { statuses } = follow();
  world.socket.breaks(GONE);
  assert.deepEqual([statuses, world.waiting], [["connecting", "gone"], []]);
});

test("a page that was hidden for long gets a fresh snapshot at once, a glance away costs nothing", () => {
  const { follower, states } = follow();
  world.socket.says(snapshot(1));
  follower.visible(false);
  world.time += 1000;
  follower.visible(true);
  assert.equal(world.sockets.length, 1);
  follower.visible(false);
  world.time += 60_000;
  follower.visible(true);
  assert.equal(world.wake(), 0);
  world.socket.says(snapshot(9));
  assert.deepEqual([world.sockets.length, states], [2, [1, 9]]);
});

test("a stopped follower stays quiet", () => {
  const { follower } = follow();
  const { socket } = world;
  follower.stop();
  socket.breaks();
  assert.equal(socket.closed, true);
  assert.deepEqual(world.waiting, []);
});

test("a server that stops says when it is back: the page says so, and asks then", () => {
  const { follower, statuses } = stopped({ type: "server_stopping", reason: "it stops", back_in_ms: 5000 });
  assert.equal(statuses.at(-1), "stopping");
  assert.deepEqual(world.waiting.map(({ ms }) => ms), [7000]); // luck 1: the last of all pages
  world.wake();
  world.socket.says({ type: "match", seq: 1 });
  assert.equal(statuses.at(-1), "live");
  assert.equal(follower.state, 1);
});

test("one that does not know when is asked as after any loss", () => {
  const { statuses } = stopped({ type: "server_stopping", reason: "it stops", back_in_ms: null });
  assert.equal(statuses.at(-1), "lost");
  assert.deepEqual(world.waiting.map(({ ms }) => ms), [400]);
});

function stopped(message) {
  const statuses = [];
  const follower = new Follower({ url: "/x", fold, onState() {}, onStatus: (status) => statuses.push(status), world });
  follower.start();
  world.socket.says({ type: "match", seq: 7 });
  world.socket.says(message);
  assert.equal(statuses.at(-1), "stopping");
  world.socket.breaks(1012);
  return { follower, statuses };
}

test("a server that neither answers nor refuses is given up after a while, and asked again", () => {
  const { statuses, states } = follow();
  world.socket.says(snapshot(4));
  world.socket.breaks();
  world.wake();
  const silent = world.socket;
  assert.equal(world.wake(), 10_000);
  assert.equal(silent.closed, true);
  world.wake();
  assert.notEqual(world.socket, silent);
  world.socket.says(snapshot(9));
  silent.says(delta(5)); // too late
  assert.deepEqual([states, statuses], [[4, 9], ["connecting", "live", "lost", "live"]]);
  assert.deepEqual(world.waiting, []);
});

const answered = () => new Promise((resolve) => setImmediate(resolve));

test("a socket that was not opened is asked about, and tried again when the server says", async () => {
  const { statuses, reasons } = follow(async () => ({ reason: "full", retryMs: 30_000 }));
  world.socket.breaks();
  await answered();
  assert.deepEqual([statuses, reasons], [["connecting", "lost", "refused"], ["full"]]);
  assert.deepEqual(world.waiting.map(({ ms }) => ms), [32_000]); // not all pages at once
  world.wake();
  world.socket.breaks();
  await answered();
  assert.deepEqual(statuses, ["connecting", "lost", "refused"]); // no word in between
  world.wake();
  world.socket.says(snapshot(1));
  assert.equal(statuses.at(-1), "live");
});

test("without a time of the server the waits double as ever", async () => {
  follow(async () => ({ reason: "not allowed", retryMs: 0 }));
  const waits = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    world.socket.breaks();
    await answered();
    waits.push(world.wake());
  }
  assert.deepEqual(waits, [400, 800, 1600]);
});

test("a server that does not answer is lost, and one that was open is not asked", async () => {
  let asked = 0;
  const { statuses } = follow(async () => {
    asked += 1;
    return null;
  });
  world.socket.says(snapshot(1));
  world.socket.breaks();
  await answered();
  assert.equal(asked, 0);
  world.wake();
  world.socket.breaks();
  await answered();
  assert.deepEqual([asked, statuses], [1, ["connecting", "live", "lost"]]);
});

test("an answer that comes after the next attempt changes nothing", async () => {
  let answer;
  const { statuses } = follow(() => new Promise((resolve) => (answer = resolve)));
  world.socket.breaks();
  world.wake();
  answer({ reason: "full", retryMs: 30_000 });
  await answered();
  assert.deepEqual(statuses, ["connecting", "lost"]);
  assert.equal(world.sockets.length, 2);
});

test("what the server says when it closes a socket is shown", () => {
  const { statuses, reasons } = follow();
  world.socket.breaks(1013, "too many wrong tokens");
  assert.deepEqual([statuses, reasons], [["connecting", "refused"], ["too many wrong tokens"]]);
});

test("a cut cable is noticed ten seconds after the last word, from a server that sends heartbeats", () => {
  const { states, statuses } = follow();
  assert.match(world.socket.url, /[?]heartbeat=1$/);
  [snapshot(4), { type: "heartbeat", every_ms: 3000 }].forEach((message) => world.socket.says(message));
  const cut = world.socket;
  cut.says(delta(5)); // each word begins the ten seconds anew
  assert.equal(world.waiting.length, 1);
  assert.deepEqual([world.wake(), SILENCE_MS, cut.closed, statuses.at(-1)], [10_000, 10_000, true, "lost"]);
  world.wake();
  cut.says(delta(6));
  world.socket.says(snapshot(9));
  assert.deepEqual([states, statuses.at(-1)], [[4, 5, 9], "live"]);
});

test("a server without heartbeats may be quiet for as long as it likes", () => {
  const { statuses } = follow();
  world.socket.says(snapshot(4));
  assert.deepEqual([world.waiting, statuses.at(-1)], [[], "live"]);
});

test("a follower that is to show another part asks for it at once, and keeps its state until it is there", () => {
  const { follower, states } = follow();
  world.socket.says(snapshot(4));
  const old = world.socket;
  follower.moveTo("ws://x/ws/live?event=7");
  assert.deepEqual([world.wake(), old.closed, world.socket.url, follower.state], [0, true, "ws://x/ws/live?event=7&heartbeat=1", 4]);
  follower.moveTo("ws://x/ws/live?event=7");
  world.socket.says(snapshot(1));
  assert.deepEqual([states, world.waiting.length], [[4, 1], 0]);
});
