/** A match that ended while nobody could hear of it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { askLastWord } from "../../server/palio_server/web/lib/last_word.js";

function asked() {
  const heard = [];
  const world = { sockets: [], timers: new Map(), clearTimeout: (timer) => world.timers.delete(timer) };
  world.setTimeout = (action) => world.timers.set(world.timers.size + 1, action).size;
  world.WebSocket = class {
    constructor(url) {
      Object.assign(this, { url, closed: 0, onmessage: null, onclose: null });
      world.sockets.push(this);
    }
    close() {
      this.closed += 1;
    }
  };
  const stop = askLastWord("ws://here/ws/live/a", (summary) => heard.push(summary), world);
  const [socket] = world.sockets;
  const say = (message) => socket.onmessage({ data: JSON.stringify(message) });
  return { world, socket, heard, stop, say };
}

test("the result is heard, once, and the socket given back", () => {
  const { world, socket, heard, say } = asked();
  assert.equal(socket.url, "ws://here/ws/live/a");
  say({ type: "viewers", match: "a", count: 1 });
  say({ type: "match", seq: 4, summary: { match: "a", result: { scores: [1, 0] } }, lines: [] });
  assert.deepEqual([heard.map(({ match }) => match), socket.closed, socket.onmessage, world.timers.size], [["a"], 1, null, 0]);
});

test("a match that goes on, or that nobody knows, has no last word", () => {
  const going = asked();
  going.say({ type: "match", seq: 4, summary: { match: "a", result: null }, lines: [] });
  assert.deepEqual([going.heard, going.socket.closed], [[], 1]);
  const unknown = asked();
  unknown.socket.onclose({ code: 4404 });
  assert.deepEqual([unknown.heard, unknown.world.timers.size], [[], 0]);
});

test("a server that says nothing is not waited for", () => {
  const { world, socket, heard } = asked();
  [...world.timers.values()][0]();
  assert.deepEqual([socket.closed, socket.onmessage, heard], [1, null, []]);
});
