/** The player's connection comes back by itself, says hello each time, and gives way to another tab. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BotSocket } from "../../server/palio_server/web/lib/bot_socket.js";

function scene(askWhy) {
  const sockets = [];
  const timers = [];
  const heard = [];
  const statuses = [];
  const waits = [];
  const reasons = [];
  class Socket {
    constructor(url) {
      Object.assign(this, { url, sent: [], isClosed: false });
      sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.isClosed = true;
    }
    say(message) {
      this.onmessage({ data: JSON.stringify(message) });
    }
  }
  const socket = new BotSocket({
    url: "ws://x/ws/bot",
    hello: () => ({ type: "hello" }),
    onMessage: (message) => (heard.push(message.type), message.type === "game" ? [{ type: "ready" }] : []),
    onStatus: (status, ms, why) => (statuses.push(status), waits.push(ms), reasons.push(why)),
    ...(askWhy && { askWhy }),
    world: { WebSocket: Socket, setTimeout: (action, ms) => timers.push({ action, ms }), clearTimeout() {}, random: () => 1 },
  });
  return { socket, sockets, timers, heard, statuses, waits, reasons };
}

test("hello is first on every connection, answers follow what was heard", () => {
  const { socket, sockets, timers, heard, statuses } = scene();
  socket.start();
  socket.say([{ type: "early" }]); // nobody is there yet
  sockets[0].onopen();
  sockets[0].say({ type: "welcome" });
  sockets[0].say({ type: "game" });
  assert.deepEqual(sockets[0].sent.map(({ type }) => type), ["hello", "ready"]);
  sockets[0].onclose({ code: 1006 });
  timers[0].action();
  sockets[1].onopen();
  assert.deepEqual(sockets[1].sent.map(({ type }) => type), ["hello"]);
  assert.deepEqual(heard, ["welcome", "game"]);
  assert.deepEqual(statuses, ["connecting", "live", "lost"]);
});

test("each failure waits longer, a welcome ends that", () => {
  const { socket, sockets, timers } = scene();
  socket.start();
  for (let i = 0; i < 8; i += 1) {
    sockets[i].onclose({ code: 1006 });
    timers[i].action();
  }
  assert.deepEqual(timers.map(({ ms }) => ms), [300, 600, 1200, 2400, 4800, 8000, 8000, 8000]);
  sockets[8].onopen();
  sockets[8].say({ type: "welcome" });
  sockets[8].onclose({ code: 1012 });
  assert.equal(timers[8].ms, 300);
});

test("another tab keeps the seat, and a refused hello is not repeated", () => {
  for (const [code, status] of [[4000, "elsewhere"], [1008, "lost"]]) {
    const { socket, sockets, timers, statuses } = scene();
    socket.start();
    sockets[0].onclose({ code });
    assert.equal(timers.length, 0);
    assert.equal(statuses.at(-1), status);
    socket.hurry();
    assert.equal(sockets.length, 1);
  }
});

test("a limit is waited for, as long as the server says", () => {
  const { socket, sockets, timers, waits } = scene();
  socket.start();
  sockets[0].onopen();
  sockets[0].say({ type: "refused", code: "too-many-hellos", reason: "too often", retry_ms: 2000 });
  sockets[0].onclose({ code: 1013 });
  assert.equal(timers[0].ms, 2300);
  assert.equal(waits.at(-1), 2300, "so long the page says that it waits");
  timers[0].action();
  sockets[1].onclose({ code: 1006 });
  assert.equal(timers[1].ms, 600);
});

test("a socket that was not opened is asked about, and tried again when the server says", async () => {
  const answers = [{ reason: "too many floods", retryMs: 5000 }, { reason: "too many floods", retryMs: 0 }, null];
  const { socket, sockets, timers, waits, reasons } = scene(async () => answers.shift());
  socket.start();
  sockets[0].onclose({ code: 1006 });
  assert.equal(reasons.at(-1), "");
  await null;
  await null;
  assert.deepEqual([reasons.at(-1), waits.at(-1), timers.at(-1).ms], ["too many floods", 7000, 7000]);
  timers.at(-1).action();
  sockets[1].onclose({ code: 1006 });
  await null;
  assert.deepEqual([reasons.at(-1), timers.at(-1).ms], ["too many floods", 600], "its words stay until there is an answer");
  timers.at(-1).action();
  sockets[2].onclose({ code: 1006 });
  await null;
  await null;
  assert.equal(reasons.at(-1), "", "the server would open it: only the network is away");
  timers.at(-1).action();
  sockets[3].onopen();
  sockets[3].onclose({ code: 1006 });
  await null;
  assert.equal(answers.length, 0);
});

test("an answer that comes after the next attempt is not used", async () => {
  const { socket, sockets, timers, reasons } = scene(async () => ({ reason: "too late", retryMs: 9000 }));
  socket.start();
  sockets[0].onclose({ code: 1006 });
  timers[0].action();
  await null;
  await null;
  assert.equal(timers.length, 1);
  assert.ok(!reasons.includes("too late"));
});

test("what is stopped stays so", () => {
  const { socket, sockets, timers } = scene();
  socket.start();
  socket.stop();
  assert.ok(sockets[0].isClosed);
  sockets[0].onclose({ code: 1000 });
  assert.equal(timers.length, 0);
});

test("when the browser is online again nobody waits", () => {
  const { socket, sockets } = scene();
  socket.start();
  socket.hurry();
  assert.equal(sockets.length, 1);
  sockets[0].onclose({ code: 1006 });
  socket.hurry();
  assert.equal(sockets.length, 2);
});

test("the seat is taken back from another tab when that is asked for", () => {
  const { socket, sockets, statuses } = scene();
  socket.start();
  socket.retake(); // it is ours
  sockets[0].onclose({ code: 4000 });
  socket.retake();
  assert.equal(sockets.length, 2);
  assert.deepEqual(statuses, ["connecting", "elsewhere", "connecting"]);
  sockets[1].onclose({ code: 1006 });
  assert.equal(statuses.at(-1), "lost");
});

test("a server that stops is asked again when it said that it would be back", () => {
  const { socket, sockets, timers, heard } = scene();
  socket.start();
  sockets[0].say({ type: "server_stopping", reason: "it stops", back_in_ms: 5000 });
  sockets[0].onclose({ code: 1012 });
  timers[0].action();
  sockets[1].onclose({ code: 1006 });
  assert.deepEqual(timers.map(({ ms }) => ms), [5300, 600]);
  assert.deepEqual(heard, []); // it is about no match
});
